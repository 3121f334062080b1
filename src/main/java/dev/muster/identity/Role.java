package dev.muster.identity;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.muster.platform.problem.ProblemException;
import java.util.Locale;
import java.util.UUID;

/** The rights of a token that belongs to no workspace (R1.7). */
enum Role {
  /**
   * Reads what the admin and agents read, except the audit and the lists of tokens, sessions and
   * links; changes nothing.
   */
  VIEWER,
  /** Does what the admin does, except mint and revoke operator tokens. */
  OPERATOR;

  @JsonValue
  String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Role of(String word) {
    return switch (word) {
      case "viewer" -> VIEWER;
      case "operator" -> OPERATOR;
      default -> throw ProblemException.validation("role: must be one of: viewer, operator");
    };
  }

  Caller caller(UUID tokenId, String name) {
    return switch (this) {
      case VIEWER -> new Caller.Viewer(tokenId, name);
      case OPERATOR -> new Caller.Operator(tokenId, name);
    };
  }
}

package dev.muster.delegation;

import dev.muster.platform.json.JsonBody;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.Set;

/** Validates the ids that callers give to delegations which they send themselves. */
final class DelegationId {

  static final int MAX_LENGTH = 128;

  /**
   * The server refuses paths with these characters, encoded or not. U+FFFD replaces a character
   * that was lost.
   */
  private static final String UNNAMEABLE = "/\\%\uFFFD";

  private static final Set<String> SEGMENTS_WITH_A_MEANING = Set.of(".", "..");

  private DelegationId() {}

  /** Reads an id; throws {@code VALIDATION_FAILED} for one that a path could not name. */
  static String read(JsonBody body) {
    String id = body.requiredText("delegation_id", Integer.MAX_VALUE);
    boolean isValid =
        id.codePointCount(0, id.length()) <= MAX_LENGTH
            && !SEGMENTS_WITH_A_MEANING.contains(id)
            && id.codePoints()
                .noneMatch(c -> Character.isISOControl(c) || UNNAMEABLE.indexOf(c) >= 0);
    if (!isValid) {
      throw ProblemException.validation(
          "delegation_id: too long, or with a character that no path can name (expected: 1 to"
              + " 128 characters, like a UUID)");
    }
    return id;
  }

  static ProblemException unknown(String id) {
    return new ProblemException(
        ErrorCode.NOT_FOUND, "no delegation " + id + " is known here, or no longer");
  }
}

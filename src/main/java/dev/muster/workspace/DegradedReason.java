package dev.muster.workspace;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Names why a workspace is degraded (R4.2), with the hint that a canvas shows. */
public enum DegradedReason {
  RUNTIME_WEDGED("the agent's runtime reports that it is wedged; restart it"),
  ERROR_RATE("many of the agent's recent requests failed; last_sample_error shows one of them");

  private final String hint;

  DegradedReason(String hint) {
    this.hint = hint;
  }

  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  public String hint() {
    return hint;
  }

  /** Parses a stored word; null yields null. */
  public static @Nullable DegradedReason ofNullable(@Nullable String wire) {
    return wire == null ? null : valueOf(wire.toUpperCase(Locale.ROOT));
  }
}

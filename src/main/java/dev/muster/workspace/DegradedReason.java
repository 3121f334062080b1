package dev.muster.workspace;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why a workspace is alive but of little use (R4.2), with the hint that operators and canvases
 * show.
 */
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

  /** Of a stored word, or none. */
  public static @Nullable DegradedReason ofNullable(@Nullable String wire) {
    return wire == null ? null : valueOf(wire.toUpperCase(Locale.ROOT));
  }
}

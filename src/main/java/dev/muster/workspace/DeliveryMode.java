package dev.muster.workspace;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Names how messages reach an agent (R3.2): sent to its url, or polled by the agent. */
public enum DeliveryMode {
  PUSH,
  POLL;

  private static final int MAX_LENGTH = 32;

  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static DeliveryMode of(String wire) {
    return Arrays.stream(values())
        .filter(mode -> mode.wire().equals(wire))
        .findFirst()
        .orElseThrow(() ->
            new ProblemException(
                ErrorCode.INVALID_DELIVERY_MODE,
                "delivery_mode: \"" + wire + "\" (expected: \"push\" or \"poll\")"));
  }

  /** Reads the field {@code delivery_mode}; {@code ""} counts as absent. */
  static Optional<DeliveryMode> sent(JsonBody body) {
    return body.text("delivery_mode", MAX_LENGTH)
        .filter(word -> !word.isEmpty())
        .map(DeliveryMode::of);
  }

  /** Whether a url can be called; {@code remote:} urls cannot. */
  static boolean isUsable(String url) {
    return !url.isBlank() && !url.regionMatches(true, 0, "remote:", 0, "remote:".length());
  }
}

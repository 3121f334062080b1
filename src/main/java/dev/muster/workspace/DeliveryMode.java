package dev.muster.workspace;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.muster.platform.json.JsonBody;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How messages reach a workspace's agent (R3.2): sent to its url, or fetched by itself. */
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

  /** The field {@code delivery_mode}; {@code ""} counts as absent. */
  static Optional<DeliveryMode> sent(JsonBody body) {
    return body.text("delivery_mode", MAX_LENGTH)
        .filter(word -> !word.isEmpty())
        .map(DeliveryMode::of);
  }

  /** As sent, else as stored, else by whether there is a url to push to. */
  static DeliveryMode decide(
      Optional<DeliveryMode> sent, Optional<DeliveryMode> stored, String url) {
    return sent.or(() -> stored).orElse(isUsable(url) ? PUSH : POLL);
  }

  /** {@code remote:} urls name agents that nobody can dial. */
  static boolean isUsable(String url) {
    return !url.isBlank() && !url.regionMatches(true, 0, "remote:", 0, "remote:".length());
  }
}

package dev.muster.protocol.client;

import dev.muster.protocol.client.A2aResult.Answer;
import dev.muster.protocol.client.A2aResult.HttpError;
import dev.muster.protocol.client.A2aResult.Malformed;
import dev.muster.protocol.client.A2aResult.OutOfTime;
import dev.muster.protocol.client.A2aResult.RpcError;
import dev.muster.protocol.client.A2aResult.SendStats;
import dev.muster.protocol.client.A2aResult.Streamed;
import dev.muster.protocol.client.A2aResult.Unreachable;
import java.time.Duration;
import java.util.Locale;

/**
 * Formats a failed send as text, the same on all paths (R7.10).
 *
 * <p>Example: {@code ConnectRefused: connection refused [target=alice], attempts 5/5, elapsed 15.2
 * s}.
 *
 * <p>The text contains no address and no credential of the sender. Text that the peer sent is
 * passed on.
 */
public final class A2aErrors {

  private A2aErrors() {}

  /**
   * Returns the error, the target, and the number and duration of attempts.
   *
   * @throws IllegalArgumentException for a result without an error: an {@code Answer} or a complete
   *     stream
   */
  public static String text(A2aResult result) {
    return switch (result) {
      case Answer ignored -> throw new IllegalArgumentException("an answer is no error");
      case RpcError error -> text("JsonRpcError " + error.code(), error.message(), error);
      case HttpError error -> text("HttpError " + error.status(), error.text(), error);
      case Malformed answer -> text("MalformedAnswer", answer.reason(), answer);
      case Streamed stream -> text(broken(stream), stream);
      case Unreachable end -> text(end.last().text(end.detail()), end) + clause(end.why().text());
      case OutOfTime end -> text(lateness(end), end) + clause("out of time");
    };
  }

  private static String broken(Streamed stream) {
    FailureKind cause = stream.brokenBy();
    if (cause == null) {
      throw new IllegalArgumentException("a whole stream is no error");
    }
    return "StreamBroken by " + cause.text(cause.usualDetail());
  }

  private static String lateness(OutOfTime end) {
    FailureKind last = end.last();
    return last == null ? "OutOfTime: no attempt was made" : last.text(last.usualDetail());
  }

  private static String text(String kind, String said, A2aResult result) {
    return text(said.isBlank() ? kind + " (no message)" : kind + ": " + said, result);
  }

  private static String text(String what, A2aResult result) {
    SendStats stats = result.stats();
    return "%s [target=%s], attempts %d/%d, elapsed %s"
        .formatted(
            what, stats.target(), stats.attempts(), stats.maxAttempts(), seconds(stats.elapsed()));
  }

  private static String clause(String text) {
    return text.isEmpty() ? "" : ", " + text;
  }

  private static String seconds(Duration elapsed) {
    return String.format(Locale.ROOT, "%.1f s", elapsed.toMillis() / 1000.0);
  }
}

package dev.muster.protocol.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The result of a send (R7.10); {@link A2aErrors} formats errors. */
@SuppressWarnings("ArrayRecordComponent") // bodies are not copied, up to 64 MiB, never compared
public sealed interface A2aResult {

  /**
   * A 2xx response whose body is one JSON document.
   *
   * @param contentType as sent, or empty
   * @param body byte for byte
   * @param headers as in {@link #headers}
   */
  record Answer(
      int status, String contentType, byte[] body, Map<String, String> headers, SendStats stats)
      implements A2aResult {

    /** Returns the same answer with another body. */
    public Answer with(byte[] other) {
      return new Answer(status, contentType, other, headers, stats);
    }
  }

  /**
   * A 2xx response whose body is a JSON-RPC error.
   *
   * @param code 0 when there is none
   * @param message at most 4,096 code points of the error's message, or empty
   * @param headers as in {@link #headers}
   */
  record RpcError(
      int status,
      String contentType,
      byte[] body,
      long code,
      String message,
      Map<String, String> headers,
      SendStats stats)
      implements A2aResult {}

  /**
   * A 2xx response whose server-sent events went to the sink.
   *
   * @param lastData the data of the last complete event; empty when it exceeds 1 MiB or had no
   *     memory
   * @param brokenBy the failure that ended the stream early; null for a complete stream
   * @param headers as in {@link #headers}
   */
  record Streamed(
      int status,
      String contentType,
      Optional<byte[]> lastData,
      @Nullable FailureKind brokenBy,
      Map<String, String> headers,
      SendStats stats)
      implements A2aResult {

    public boolean whole() {
      return brokenBy == null;
    }
  }

  /**
   * A response with any status but 2xx; redirects are not followed.
   *
   * @param body the first 64 KiB
   * @param text the error text in the body, at most 4,096 code points; may be empty
   * @param retryAfter how long the peer asks to wait; empty if unsaid
   * @param headers as in {@link #headers}
   */
  record HttpError(
      int status,
      byte[] body,
      String text,
      Optional<Duration> retryAfter,
      Map<String, String> headers,
      SendStats stats)
      implements A2aResult {

    /** Returns the code of the JSON-RPC error in the body; 0 without one. */
    public long rpcCode() {
      return JsonProbe.at(body) instanceof JsonProbe.Fault(long code, String message) ? code : 0;
    }
  }

  /**
   * A 2xx response without a usable JSON body, or data that is not HTTP.
   *
   * <p>The body is missing, not JSON, or larger than 64 MiB.
   *
   * @param status 0 when none was read
   */
  record Malformed(int status, String reason, SendStats stats) implements A2aResult {}

  /**
   * No response, and no further attempt is made.
   *
   * @param detail a clause without any address, or empty
   */
  record Unreachable(FailureKind last, String detail, SendEndReason why, SendStats stats)
      implements A2aResult {}

  /**
   * No response before the deadline.
   *
   * @param last how the last attempt failed; null when there was none
   */
  record OutOfTime(@Nullable FailureKind last, SendStats stats) implements A2aResult {}

  SendStats stats();

  /** The headers of a response that are meant for its sender, as far as the peer has set them. */
  List<String> PASSED_BACK =
      List.of(
          "A2A-Version", "A2A-Extensions", "X-A2A-Extensions", "WWW-Authenticate", "Retry-After");

  /** Returns those of {@link #PASSED_BACK} that the response has; empty without a response. */
  default Map<String, String> headers() {
    return Map.of();
  }

  default int attempts() {
    return stats().attempts();
  }

  default Duration elapsed() {
    return stats().elapsed();
  }

  /** Returns the number of attempts in which the peer may have received a byte. */
  default int deliveries() {
    return stats().deliveries();
  }

  /** Returns false only when the peer certainly did not receive the request. */
  default boolean mayBeDelivered() {
    return deliveries() > 0;
  }

  /** Why a send without a response was not retried. */
  public enum SendEndReason {
    ATTEMPTS_USED_UP(""),
    RETRY_BUDGET("the target's retry budget is used up"),
    /** A retry would fail in the same way. */
    NOT_RETRYABLE("not tried again"),
    /** The peer may have received the request, and the policy forbids sending it twice. */
    AMBIGUOUS("it may have arrived, so it was not sent again"),
    INTERRUPTED("interrupted");

    private final String text;

    SendEndReason(String text) {
      this.text = text;
    }

    /** Returns a clause for messages; empty when the number of attempts says it. */
    String text() {
      return text;
    }
  }

  /**
   * The statistics of a send.
   *
   * @param attempts number of attempts; 0 when there was no time for one
   * @param deliveries attempts in which the peer may have received a byte
   */
  public record SendStats(
      String target, int attempts, int maxAttempts, int deliveries, Duration elapsed) {}
}

package dev.muster.protocol.client;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a send ended (R7.10). {@link A2aErrors} says it to people. */
@SuppressWarnings("ArrayRecordComponent") // bodies are handed over, up to 64 MiB, never compared
public sealed interface A2aResult {

  /**
   * A 2xx whose body is one JSON document.
   *
   * @param contentType as sent, or empty
   * @param body byte for byte
   */
  record Answer(int status, String contentType, byte[] body, SendStats effort)
      implements A2aResult {}

  /**
   * A 2xx whose body is a JSON-RPC response with an error.
   *
   * @param code 0 when there is none
   * @param message as sent, or empty
   */
  record RpcError(
      int status, String contentType, byte[] body, long code, String message, SendStats effort)
      implements A2aResult {}

  /**
   * A 2xx whose server-sent events went to the sink.
   *
   * @param lastData the data of the last whole event, unless that has more than 1 MiB
   * @param brokenBy what ended the stream before its end; null for a whole one
   */
  record Streamed(
      int status,
      String contentType,
      Optional<byte[]> lastData,
      @Nullable FailureKind brokenBy,
      SendStats effort)
      implements A2aResult {

    public boolean whole() {
      return brokenBy == null;
    }
  }

  /**
   * Any status but 2xx; redirects are not followed.
   *
   * @param body the first 64 KiB
   * @param text what the body says about the error, at most 4,096 code points; may be empty
   */
  record HttpError(int status, byte[] body, String text, SendStats effort) implements A2aResult {}

  /**
   * A 2xx without a body, or with one that is no JSON or larger than 64 MiB; or what is no response
   * of HTTP.
   *
   * @param status 0 when none was read
   */
  record Malformed(int status, String reason, SendStats effort) implements A2aResult {}

  /**
   * No response, and no use in trying on.
   *
   * @param detail a clause without any address, or empty
   */
  record Unreachable(FailureKind last, String detail, SendEndReason why, SendStats effort)
      implements A2aResult {}

  /**
   * No response before the deadline.
   *
   * @param last how the last attempt failed; null when there was none
   */
  record OutOfTime(@Nullable FailureKind last, SendStats effort) implements A2aResult {}

  SendStats effort();

  default int attempts() {
    return effort().attempts();
  }

  default Duration elapsed() {
    return effort().elapsed();
  }

  /** The attempts of which the peer may have got a byte. */
  default int deliveries() {
    return effort().deliveries();
  }

  /** False only when it is certain that the peer did not get the request. */
  default boolean mayBeDelivered() {
    return deliveries() > 0;
  }
}

package dev.muster.protocol.client;

import java.io.IOException;
import java.util.Map;

/**
 * Receives a stream of server-sent events as it arrives (R7.9), on the sender's thread.
 *
 * <p>A sink that fails is not called again, and the stream is read to its end. A started delivery
 * therefore continues without a connected caller (R7.8). The deadline of the send does not
 * interrupt a write. A sink that can block must limit its writes itself.
 */
public interface StreamSink {

  /**
   * Called when the stream begins; from here on the send is not retried.
   *
   * @param headers as in {@link A2aResult#headers}
   */
  void begin(int status, String contentType, Map<String, String> headers) throws IOException;

  /** Passes the bytes on at once. */
  void write(byte[] bytes) throws IOException;

  /**
   * Returns whether {@code bytes} more than granted before may be kept for the last event.
   *
   * <p>If not, that event is not kept for the result.
   */
  default boolean mayKeep(long bytes) {
    return true;
  }
}

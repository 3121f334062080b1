package dev.muster.protocol.client;

import java.io.IOException;

/**
 * Takes a stream of server-sent events as it comes (R7.9), on the thread of the sender.
 *
 * <p>A sink that fails is not called again, and the stream is read to its end without it: a turn
 * that has started goes on when nobody listens any more (R7.8). The deadline of the send cannot cut
 * a write short; a sink that may block has to bound that itself.
 */
public interface StreamSink {

  /** The stream has begun; what is sent now is not tried again. */
  void begin(int status, String contentType) throws IOException;

  /** Passes these bytes on at once. */
  void write(byte[] bytes) throws IOException;

  /**
   * Asked before more of the last event is kept for the result: whether there is memory for so many
   * bytes beyond those that were granted before. Without it that event is not kept.
   */
  default boolean mayKeep(long bytes) {
    return true;
  }
}

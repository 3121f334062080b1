package dev.muster.protocol.client;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes a stream to the sink and keeps its last event, on the sender's thread. */
final class StreamRelay {

  private static final Logger log = LoggerFactory.getLogger(StreamRelay.class);

  private final String target;
  private final StreamSink sink;
  private final LastSseEvent tail;
  private @Nullable Beginning began;
  private boolean deaf;

  /** What comes before the first event. */
  private record Beginning(int status, String contentType, Map<String, String> headers) {}

  StreamRelay(String target, StreamSink sink) {
    this.target = target;
    this.sink = sink;
    this.tail = new LastSseEvent(sink::mayKeep);
  }

  void begin(int status, String contentType, Map<String, String> headers) {
    began = new Beginning(status, contentType, headers);
    offer(() -> sink.begin(status, contentType, headers));
  }

  boolean hasBegun() {
    return began != null;
  }

  void pass(byte[] bytes) {
    tail.feed(bytes);
    offer(() -> sink.write(bytes));
  }

  /** Returns the result; a stream that has begun counts as a response, however it ends. */
  AttemptResult end(AttemptResult end) {
    Beginning start = began;
    if (start == null) {
      return end;
    }
    FailureKind brokenBy =
        switch (end) {
          case AttemptResult.StreamOver() -> null;
          case AttemptResult.Failed(Failure failure) -> failure.kind();
          case AttemptResult.Responded ignored -> FailureKind.READ_ERROR; // the rest is malformed
        };
    Optional<byte[]> last = tail.last();
    return new AttemptResult.Responded(
        brokenBy == null ? "streamed" : "stream_broken",
        stats ->
            new A2aResult.Streamed(
                start.status(), start.contentType(), last, brokenBy, start.headers(), stats));
  }

  private void offer(Passing passing) {
    if (deaf) {
      return;
    }
    try {
      passing.run();
    } catch (IOException e) {
      deaf = true;
      log.debug("the listener to a stream of {} is gone", target);
    }
  }

  @FunctionalInterface
  private interface Passing {
    void run() throws IOException;
  }
}

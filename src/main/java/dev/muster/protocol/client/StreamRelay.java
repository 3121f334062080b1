package dev.muster.protocol.client;

import dev.muster.protocol.client.AttemptStep.AttemptResult;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes a stream to the sink and keeps its last event, on the sender's thread. */
final class StreamRelay {

  private static final Logger log = LoggerFactory.getLogger(StreamRelay.class);

  private final String target;
  private final @Nullable StreamSink sink;
  private final LastSseEvent tail;
  private AttemptStep.@Nullable StreamBegan began;
  private boolean deaf;

  StreamRelay(String target, @Nullable StreamSink sink) {
    this.target = target;
    this.sink = sink;
    this.tail = new LastSseEvent(bytes -> sink == null || sink.mayKeep(bytes));
  }

  void begin(AttemptStep.StreamBegan step) {
    began = step;
    offer(open -> open.begin(step.status(), step.contentType(), step.headers()));
  }

  void pass(byte[] bytes) {
    tail.feed(bytes);
    offer(open -> open.write(bytes));
  }

  /** Returns the result; a stream that has begun counts as a response, however it ends. */
  AttemptResult end(AttemptResult end) {
    AttemptStep.StreamBegan start = began;
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
    if (sink == null || deaf) {
      return;
    }
    try {
      passing.to(sink);
    } catch (IOException e) {
      deaf = true;
      log.debug("the listener to a stream of {} is gone", target);
    }
  }

  @FunctionalInterface
  private interface Passing {
    void to(StreamSink sink) throws IOException;
  }
}

package dev.muster.live;

import dev.muster.event.EventLog;
import dev.muster.platform.problem.ProblemException;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Holds the seq after which a stream begins, and the frames it sends first. */
record StreamStart(long after, List<Frame> greeting) {

  /**
   * Reads a start position; refuses text that is not a number.
   *
   * <p>A seq that no event has reached, as after a restored backup, yields a {@code REPLAY_GAP} and
   * the events from now on.
   *
   * @param position the last seq the client has seen; null or blank starts with new events
   * @param name the header or parameter it came from, for the refusal
   */
  static StreamStart of(
      @Nullable String position, String name, EventLog events, InstantSource clock) {
    if (position == null || position.isBlank()) {
      return new StreamStart(events.head(), List.of());
    }
    long seq = seq(position.strip(), name);
    if (events.hasReached(seq)) {
      return new StreamStart(seq, List.of());
    }
    long head = events.head();
    return new StreamStart(head, List.of(Frame.replayGap("future", seq, head, clock.instant())));
  }

  private static long seq(String text, String name) {
    if (text.matches("[0-9]{1,18}")) {
      return Long.parseLong(text);
    }
    throw ProblemException.validation(name + ": not usable (expected: the seq of an event)");
  }
}

package dev.muster.live;

import dev.muster.event.EventLog;
import dev.muster.platform.problem.ProblemException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a stream begins: the event it goes on after, and what the client must be told first. */
record StreamStart(long after, List<Frame> greeting) {

  /**
   * {@code position} is the seq that the client has seen; with none the stream begins now. A number
   * that no event ever had, as after a restored backup, is answered by {@code REPLAY_GAP} and what
   * comes from now on; what is no number is refused, {@code name} being where it stood.
   */
  static StreamStart of(@Nullable String position, String name, EventLog events) {
    if (position == null || position.isBlank()) {
      return new StreamStart(events.head(), List.of());
    }
    long seq = seq(position.strip(), name);
    if (events.hasReached(seq)) {
      return new StreamStart(seq, List.of());
    }
    long head = events.head();
    return new StreamStart(head, List.of(Frame.replayGap("future", seq, head)));
  }

  private static long seq(String text, String name) {
    if (text.matches("[0-9]{1,18}")) {
      return Long.parseLong(text);
    }
    throw ProblemException.validation(name + ": not usable (expected: the seq of an event)");
  }
}

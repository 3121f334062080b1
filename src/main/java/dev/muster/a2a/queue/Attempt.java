package dev.muster.a2a.queue;

import org.jspecify.annotations.Nullable;

/** What became of one attempt to deliver a queued message. */
public sealed interface Attempt {

  /** It is over: whoever tried has ended it by {@link MessageQueue#endAll}. */
  record Ended() implements Attempt {}

  /** It failed and is tried again after the pause of R7.7; it keeps its place in the line. */
  record Later(@Nullable String error) implements Attempt {}

  /** The target cannot take it now: that was no attempt, and it waits for the target. */
  record NoRoom() implements Attempt {}
}

package dev.muster.platform.longpoll;

/** What a look has found. */
public sealed interface PollResult<T> {

  /** The wait is over. */
  record Answer<T>(T value) implements PollResult<T> {}

  /**
   * Nothing yet. {@code version} is a number that grows with whatever could hold an answer, read
   * before it was looked through: something newer than it is worth another look.
   */
  record Nothing<T>(long version) implements PollResult<T> {}
}

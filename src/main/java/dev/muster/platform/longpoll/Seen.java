package dev.muster.platform.longpoll;

/** What a look has found. */
public sealed interface Seen<T> {

  /** The wait is over. */
  record Answer<T>(T value) implements Seen<T> {}

  /**
   * Nothing yet. {@code version} is a number that grows with whatever could hold an answer, read
   * before it was looked through: something newer than it is worth another look.
   */
  record Nothing<T>(long version) implements Seen<T> {}
}

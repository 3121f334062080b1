package dev.muster.platform.longpoll;

/** Reports what a look has found. */
public sealed interface PollResult<T> {

  /** A result, which ends the wait. */
  record Answer<T>(T value) implements PollResult<T> {}

  /**
   * No result yet.
   *
   * <p>{@code version} grows with every change that could produce a result, and is read before the
   * look. A newer version makes another look worthwhile.
   */
  record Nothing<T>(long version) implements PollResult<T> {}
}

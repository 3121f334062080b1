package dev.muster.live;

/** The form in which a stream sends events. */
enum StreamView {
  /** Recorded events, live events and last values, one frame each. */
  EVERYTHING,

  /**
   * Recorded events in batches, each at least 50 ms after the last, with the members that the
   * console shows.
   */
  CONSOLE
}

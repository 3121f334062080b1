package dev.muster.live;

/** What a stream sends. */
enum StreamView {
  /** Recorded events, live events and last values, one frame each. */
  EVERYTHING,

  /**
   * Recorded events in batches, each at least 50 ms after the last, with what a view of the fleet
   * shows.
   */
  CONSOLE
}

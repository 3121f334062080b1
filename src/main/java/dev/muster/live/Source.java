package dev.muster.live;

import java.util.List;
import java.util.Optional;

/** Reads one kind of event for a stream, and keeps the stream's position. */
interface Source {

  /** Whether there are events after the position; safe for any thread. */
  boolean hasMore();

  /**
   * Reads the next frames and advances the position; only the serving thread calls it. The list may
   * be empty, when no event read is shown. The result is empty when the position did not advance.
   */
  Optional<List<Frame>> next();

  /** Renews what may be read until the next tick. */
  default void tick() {}

  /** Whether events after the position are lost, so that it never advances again. */
  default boolean isOverrun() {
    return false;
  }
}

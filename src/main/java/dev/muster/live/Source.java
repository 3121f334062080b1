package dev.muster.live;

import java.util.List;
import java.util.Optional;

/** One kind of what a stream tells, and the stream's place in it. */
interface Source {

  /** Whether there is something after the place; may be asked by any thread. */
  boolean hasMore();

  /**
   * The frames to be sent next, which may be none, and moves on behind them; empty when it did not
   * move. Only the thread that serves the stream reads.
   */
  Optional<List<Frame>> next();
}

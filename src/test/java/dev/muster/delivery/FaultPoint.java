package dev.muster.delivery;

import dev.muster.testing.StatementRelay.Side;

/**
 * Where a replica is struck: at the first time in a step that it sends a statement, before the
 * database sees it or after it is done and its answer not yet known; and how: killed, or stopped
 * for longer than its lease and then continued.
 */
public record FaultPoint(Step step, String statement, Side side, boolean isStop) {

  /** What is sent to the replica, or what it does next. */
  public enum Step {
    DIRECT_MESSAGE,
    QUEUED_MESSAGE,
    DELEGATION,
    RESULT_OF_DELEGATION
  }

  @Override
  public String toString() {
    return (isStop ? "stopped " : "killed ")
        + (side == Side.BEFORE_STATEMENT ? "before " : "after ")
        + "the "
        + step
        + "'s "
        + statement.strip().replaceAll("\\s+", " ");
  }
}

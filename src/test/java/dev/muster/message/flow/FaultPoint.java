package dev.muster.message.flow;

import dev.muster.testing.StatementRelay.Side;

/**
 * The point at which a fault is injected into a replica: the first time in a step that it sends a
 * statement, before the statement reaches the database, or after it was executed and before the
 * replica reads its response. The replica is killed, or stopped for longer than its lease and then
 * continued.
 */
public record FaultPoint(Step step, String statement, Side side, boolean isStop) {

  /** A request to the replica, or a periodic action of it. */
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

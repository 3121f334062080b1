package dev.muster.delivery;

import dev.muster.testing.StatementRelay.Side;

/**
 * Where a replica is struck: at one of its statements, before the database sees it or after it is
 * done and its answer not yet known; and how: killed, or stopped for longer than its lease and then
 * continued.
 */
public record FaultPoint(String statement, Side side, boolean isStop) {

  @Override
  public String toString() {
    return (isStop ? "stopped " : "killed ")
        + (side == Side.BEFORE_STATEMENT ? "before " : "after ")
        + statement.strip().replaceAll("\\s+", " ");
  }
}

package dev.muster.delegation;

import dev.muster.testing.TestServer;

/** Moves delegations of a server in this process, as reports of agents do. */
public final class LedgerLoad {

  private final Reports reports;

  public LedgerLoad(TestServer server) {
    this.reports = server.bean(Reports.class);
  }

  /** Returns after the commit. */
  public void start(String delegationId) {
    make(delegationId, Change.Step.START);
  }

  /** Returns after the commit, by which the caller has its row too. */
  public void complete(String delegationId, String result) {
    make(delegationId, new Change.Completed(WholeText.of(result), false));
  }

  private void make(String delegationId, Change change) {
    if (!(reports.make(new Command(delegationId, Command.Actor.SYSTEM, change))
        instanceof Ledger.Result.Applied(DelegationStatus status, boolean moved))) {
      throw new IllegalStateException(delegationId + " did not move");
    }
    if (!moved) {
      throw new IllegalStateException(delegationId + " stood there already");
    }
  }
}

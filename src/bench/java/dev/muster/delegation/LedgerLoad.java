package dev.muster.delegation;

import dev.muster.testing.TestServer;

/** Reports transitions of delegations to a server in this process, as agents do. */
public final class LedgerLoad {

  private final DelegationReports reports;

  public LedgerLoad(TestServer server) {
    this.reports = server.bean(DelegationReports.class);
  }

  /** Returns after the commit. */
  public void start(String delegationId) {
    make(delegationId, DelegationCommand.Step.START);
  }

  /** Returns after the commit, which includes the caller's row. */
  public void complete(String delegationId, String result) {
    make(delegationId, new DelegationCommand.Complete(PreviewedText.of(result), false));
  }

  private void make(String delegationId, DelegationCommand command) {
    if (!(reports.make(new TransitionRequest(delegationId, TransitionRequest.Actor.SYSTEM, command))
        instanceof Ledger.Result.Applied(DelegationStatus status, boolean moved))) {
      throw new IllegalStateException(delegationId + " did not move");
    }
    if (!moved) {
      throw new IllegalStateException(delegationId + " stood there already");
    }
  }
}

package dev.muster.delegation;

import dev.muster.heartbeat.WorkClaims;
import dev.muster.platform.commit.BatchAttempts;
import dev.muster.platform.commit.BatchLimits;
import dev.muster.platform.commit.CertainTransactions;
import dev.muster.platform.commit.GroupCommit;
import dev.muster.platform.commit.Outcome;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.util.List;
import java.util.UUID;
import org.springframework.stereotype.Service;

/** What agents and operators say of delegations: many of them share one commit. */
@Service
class Reports implements WorkClaims {

  private static final long LARGEST_BATCH = 4L << 20;

  /** The feeds that ends are told in are written by one after the other, all else side by side. */
  private static final int COMMITTERS = 2;

  private final Ledger ledger;
  private final CertainTransactions transactions;
  private final GroupCommit<Wishes, List<Granted>> commits;

  Reports(Ledger ledger, CertainTransactions transactions, MeterRegistry metrics) {
    this.ledger = ledger;
    this.transactions = transactions;
    this.commits =
        new GroupCommit<>(
            "delegation",
            Wishes::key,
            BatchLimits.byWeight(Wishes::weight, LARGEST_BATCH),
            COMMITTERS,
            this::commit,
            metrics);
  }

  /** Returns after the commit; throws {@code UNAVAILABLE} when that cannot be had in time. */
  Granted make(Wish wish) {
    return commits.submit(Wishes.of(wish)).getFirst();
  }

  @Override
  public void claimed(UUID workspaceId, List<String> delegationIds) {
    Claimant callee = new Claimant.Callee(workspaceId);
    commits.submit(
        new Wishes(
            workspaceId,
            delegationIds.stream().map(id -> new Wish(id, callee, new Change.Beaten())).toList()));
  }

  private List<Outcome<List<Granted>>> commit(List<Wishes> batch) {
    return BatchAttempts.run(batch, all -> transactions.run(() -> ledger.grantUnlessBusy(all)));
  }

  @PreDestroy
  void close() {
    commits.close();
  }
}

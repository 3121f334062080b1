package dev.muster.delegation;

import dev.muster.delegation.TransitionRequest.Actor;
import dev.muster.heartbeat.DelegationHeartbeatListener;
import dev.muster.platform.postgres.BatchLimits;
import dev.muster.platform.postgres.BatchOutcome;
import dev.muster.platform.postgres.BatchRetry;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.postgres.GroupCommit;
import dev.muster.platform.work.BackgroundLoops;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.util.List;
import java.util.UUID;
import org.springframework.stereotype.Service;

/** Applies the reports of agents and operators, many in one group commit batch. */
@Service
class DelegationReports implements DelegationHeartbeatListener {

  /**
   * Commands of one transaction, each of which is applied or refused by itself.
   *
   * @param key reports with the same key are applied in order
   */
  private record Report(Object key, List<TransitionRequest> commands) {

    /** Returns the approximate number of bytes that the commands write. */
    long weight() {
      return commands.stream().mapToLong(request -> BYTES_OF_A_ROW + length(request)).sum();
    }

    private static long length(TransitionRequest request) {
      return request.command()
              instanceof DelegationCommand.Complete(PreviewedText result, boolean _)
          ? 2L * result.fullText().length()
          : 0;
    }
  }

  private static final int BYTES_OF_A_ROW = 512;
  private static final long MAX_BATCH_BYTES = 4L << 20;

  /** Two batches run at once. They wait for each other only where both append to one feed. */
  private static final int COMMITTERS = 2;

  private final Ledger ledger;
  private final CommitAwareTransactions transactions;
  private final GroupCommit<Report, List<Ledger.Result>> commits;

  DelegationReports(
      Ledger ledger,
      CommitAwareTransactions transactions,
      MeterRegistry metrics,
      BackgroundLoops loops) {
    this.ledger = ledger;
    this.transactions = transactions;
    this.commits =
        new GroupCommit<>(
            "delegation",
            Report::key,
            BatchLimits.byWeight(Report::weight, MAX_BATCH_BYTES),
            COMMITTERS,
            this::commit,
            loops,
            metrics);
  }

  /** Returns after the commit; throws {@code UNAVAILABLE} if it does not succeed in time. */
  Ledger.Result make(TransitionRequest request) {
    return commits.submit(new Report(request.delegationId(), List.of(request))).getFirst();
  }

  @Override
  public void reportedInProgress(UUID workspaceId, List<String> delegationIds) {
    Actor callee = Actor.callee(workspaceId);
    List<Ledger.Result> _ =
        commits.submit(
            new Report(
                workspaceId,
                delegationIds.stream()
                    .map(id -> new TransitionRequest(id, callee, DelegationCommand.Step.HEARTBEAT))
                    .toList()));
  }

  private List<BatchOutcome<List<Ledger.Result>>> commit(List<Report> batch) {
    return BatchRetry.run(
        batch,
        reports ->
            transactions.run(
                () -> ledger.applySkippingLocked(reports.stream().map(Report::commands).toList())));
  }

  @PreDestroy
  void close() {
    commits.close();
  }
}

package dev.muster.console.bulk;

import dev.muster.console.bulk.BulkBatchRepository.Batch;
import dev.muster.console.bulk.BulkBatchRepository.UnreadableRunException;
import dev.muster.console.bulk.BulkRun.Item;
import dev.muster.console.bulk.BulkRun.Outcome;
import dev.muster.identity.AuditTrail;
import dev.muster.message.CanvasMessages;
import dev.muster.platform.log.OutageLog;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.ErrorText;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.FailingUnits;
import dev.muster.workspace.BatchResult;
import dev.muster.workspace.LifecycleBatches;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Executes the bulk runs, batch by batch.
 *
 * <p>One transaction locks the run, changes the workspaces of the batch and stores their outcomes.
 * So a killed server loses no workspace and changes none twice, and any replica continues.
 */
@Component
class BulkWorker implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(BulkWorker.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** The pause of a run that met an outage, or a change of the hierarchy. */
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);

  private final BulkBatchRepository batches;
  private final BulkRunRepository runs;
  private final LifecycleBatches lifecycle;
  private final CanvasMessages messages;
  private final AuditTrail audit;
  private final CommitAwareTransactions transactions;
  private final OutageLog outages;
  private final FailingUnits failing;
  private final BackgroundLoop loop;
  private volatile boolean isRunning;

  /** The batch that was tried last; only the loop's thread uses it. */
  private @Nullable Batch last;

  BulkWorker(
      BulkBatchRepository batches,
      BulkRunRepository runs,
      LifecycleBatches lifecycle,
      CanvasMessages messages,
      AuditTrail audit,
      CommitAwareTransactions transactions,
      OutageLog outages,
      MeterRegistry metrics,
      BackgroundLoops loops) {
    this.batches = batches;
    this.runs = runs;
    this.lifecycle = lifecycle;
    this.messages = messages;
    this.audit = audit;
    this.transactions = transactions;
    this.outages = outages;
    this.failing = new FailingUnits("bulk-runs", metrics);
    this.loop = loops.start("bulk-runs", INTERVAL, this::run);
  }

  void wake() {
    loop.wake();
  }

  private void run() {
    while (isRunning && step()) {
      // the next batch
    }
  }

  /** Runs one batch; returns false when there is nothing to do. */
  private boolean step() {
    try {
      return transactions.runRetryingDeadlocks(_ -> change());
    } catch (UnreadableRunException e) {
      delay(e.runId(), failing.failed(unit(e.runId()), e));
      return true;
    } catch (RuntimeException e) {
      @Nullable Batch failed = last;
      if (failed == null) {
        outages.report(e);
        throw e;
      }
      if (isForLater(e)) {
        delay(failed.runId(), FIRST_PAUSE);
        throw e;
      }
      return stepFirst(half(failed));
    }
  }

  private static Object unit(UUID runId) {
    return "the bulk run " + runId;
  }

  /** Delays a run that cannot continue now, so that other runs go first. */
  private void delay(UUID runId, Duration pause) {
    try {
      batches.delay(runId, pause);
    } catch (RuntimeException outage) {
      log.debug("the bulk run {} could not be delayed", runId, outage);
    }
  }

  /** Returns whether the batch may succeed later, such as after another change of the hierarchy. */
  private boolean isForLater(RuntimeException e) {
    return outages.report(e)
        || e instanceof CommitAwareTransactions.UnknownCommitOutcomeException
        || FailingUnits.isOutage(e);
  }

  /**
   * Runs the first workspaces of a failed batch. If they fail too, it runs half of them, and so on:
   * those before the one that cannot be changed. If that is the first, stores that as its outcome,
   * so that the run continues with the next one. Does neither when another replica has the batch by
   * now: what failed here may succeed there.
   */
  private boolean stepFirst(Batch first) {
    try {
      return tryAgain(first, () -> change(first));
    } catch (RuntimeException e) {
      if (isForLater(e)) {
        delay(first.runId(), FIRST_PAUSE);
        throw e;
      }
      return first.ids().size() == 1 ? storeBroken(first, e) : stepFirst(half(first));
    }
  }

  private static Batch half(Batch batch) {
    return batch.first(Math.max(1, batch.ids().size() / 2));
  }

  private boolean storeBroken(Batch first, RuntimeException cause) {
    try {
      boolean stored =
          tryAgain(
              first,
              () ->
                  end(
                      first,
                      first.isRemoved()
                          ? List.of()
                          : first.ids().stream().map(id -> broken(id, cause)).toList(),
                      true));
      failing.succeeded(unit(first.runId()));
      failing.passedOver("workspace " + first.ids() + " of " + unit(first.runId()), cause);
      return stored;
    } catch (RuntimeException unstored) {
      delay(
          first.runId(),
          isForLater(unstored) ? FIRST_PAUSE : failing.failed(unit(first.runId()), unstored));
      throw unstored;
    }
  }

  /** Returns true: another batch may be waiting. */
  private boolean tryAgain(Batch batch, Runnable work) {
    return transactions.runRetryingDeadlocks(_ -> {
      if (batches.lockAgain(batch)) {
        work.run();
      }
      return true;
    });
  }

  private static BatchResult broken(UUID id, RuntimeException e) {
    return BatchResult.refused(id, new ProblemException(ErrorCode.INTERNAL, ErrorText.summary(e)));
  }

  private boolean change() {
    last = null;
    Optional<Batch> batch = batches.lockNext();
    last = batch.orElse(null);
    batch.ifPresent(this::change);
    return batch.isPresent();
  }

  /**
   * Changes the workspaces of a batch. Removed ones may leave more open than one transaction ends:
   * then their outcomes are stored, and the next batch is this one again.
   */
  private void change(Batch batch) {
    if (batch.isRemoved()) {
      end(batch, List.of(), lifecycle.endOpenWork(batches.removed(batch)));
      return;
    }
    List<BatchResult> results = results(batch);
    List<UUID> changed =
        results.stream()
            .filter(result -> result.refusal() == null)
            .map(BatchResult::workspaceId)
            .toList();
    end(batch, results, batch.action() != BulkAction.REMOVE || lifecycle.endOpenWork(changed));
  }

  private List<BatchResult> results(Batch batch) {
    List<UUID> ids = batch.ids();
    return switch (batch.action()) {
      case PAUSE -> pause(batch);
      case RESUME -> lifecycle.resume(ids, batch.expected());
      case RESTART -> lifecycle.requestRestarts(ids, Optional.ofNullable(batch.text()));
      case REMOVE -> lifecycle.remove(ids);
      case MESSAGE ->
          messages.send(
              ids,
              "bulk-" + batch.runId(),
              Objects.requireNonNull(batch.text()),
              batch.who(),
              batch.at());
    };
  }

  /**
   * Pauses the batch; the undo of a resume skips workspaces that were paused again since the run,
   * or may have been.
   */
  private List<BatchResult> pause(Batch batch) {
    if (batch.undoOf() == null) {
      return lifecycle.pause(batch.ids());
    }
    Map<UUID, BatchResult> results = new HashMap<>();
    batches
        .pausedSince(batch.expected())
        .forEach((id, why) -> results.put(id, BatchResult.refused(id, why)));
    lifecycle
        .pause(batch.ids().stream().filter(id -> !results.containsKey(id)).toList())
        .forEach(result -> results.put(result.workspaceId(), result));
    return batch.ids().stream().map(id -> Objects.requireNonNull(results.get(id))).toList();
  }

  private void end(Batch batch, List<BatchResult> results, boolean isOver) {
    List<Item> items = new ArrayList<>(results.size());
    for (BatchResult result : results) {
      items.add(item(batch.handled() + items.size() + 1, result));
    }
    if (batches.store(batch, items, isOver)) {
      recordResult(batch.runId());
    }
  }

  /** Records the result of an ended run in the audit. */
  void recordResult(UUID runId) {
    runs.auditIdOf(runId)
        .ifPresent(
            action -> runs.find(runId).ifPresent(run -> audit.recordResult(action, run.summary())));
  }

  private static Item item(int position, BatchResult result) {
    @Nullable ProblemException refusal = result.refusal();
    return refusal == null
        ? new Item(position, result.workspaceId(), Outcome.DONE, null, null, result.at())
        : new Item(
            position,
            result.workspaceId(),
            BulkAction.isSkip(refusal.code()) ? Outcome.SKIPPED : Outcome.FAILED,
            refusal.code().name(),
            refusal.detail(),
            null);
  }

  @Override
  public void start() {
    isRunning = true;
    loop.wake();
  }

  @Override
  public void stop() {
    isRunning = false;
  }

  @Override
  public boolean isRunning() {
    return isRunning;
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}

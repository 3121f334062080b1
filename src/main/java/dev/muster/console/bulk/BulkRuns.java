package dev.muster.console.bulk;

import dev.muster.console.bulk.BulkRun.State;
import dev.muster.console.fleet.FleetTargets;
import dev.muster.console.fleet.FleetTargets.Group;
import dev.muster.identity.AuditTrail;
import dev.muster.identity.Caller;
import dev.muster.platform.http.RequestDeadline;
import dev.muster.platform.postgres.AfterCommit;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.RemovalRuns;
import dev.muster.workspace.Workspaces;
import dev.muster.workspace.Workspaces.WorkspaceLabel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Previews, starts, cancels and undoes changes of many workspaces. */
@Service
class BulkRuns implements RemovalRuns {

  private static final int SAMPLE = 20;

  /** The fleet may change by so much while a person reads the preview. */
  private static final int TOLERATED_PERCENT = 1;

  private static final int PERCENT = 100;

  /**
   * What a run would do.
   *
   * @param changes the workspaces that would be changed; {@code skips} has the others, with the
   *     reason
   */
  record Preview(
      long count,
      long changes,
      Map<String, Long> byStatus,
      Map<String, Long> skips,
      List<Sample> sample) {}

  /** A workspace that would be changed. */
  record Sample(UUID id, String name, String status) {}

  private final FleetTargets fleet;
  private final BulkRunRepository runs;
  private final BulkWorker worker;
  private final Workspaces workspaces;
  private final TransactionTemplate reading;
  private final TransactionTemplate changing;

  BulkRuns(
      FleetTargets fleet,
      BulkRunRepository runs,
      BulkWorker worker,
      Workspaces workspaces,
      PlatformTransactionManager transactions) {
    this.fleet = fleet;
    this.runs = runs;
    this.worker = worker;
    this.workspaces = workspaces;
    this.reading = within(transactions);
    this.reading.setReadOnly(true);
    this.changing = within(transactions);
  }

  private static TransactionTemplate within(PlatformTransactionManager transactions) {
    TransactionTemplate template = new TransactionTemplate(transactions);
    template.setTimeout((int) FleetTargets.TIMEOUT.toSeconds());
    return template;
  }

  private <R> R inTime(TransactionTemplate transaction, Supplier<R> work) {
    return RequestDeadline.within(
        FleetTargets.TIMEOUT,
        () -> Objects.requireNonNull(transaction.execute(status -> work.get())));
  }

  /** Takes all of it, the names in the sample too, within {@link FleetTargets#TIMEOUT}. */
  Preview preview(BulkRequest wanted) {
    return inTime(
        reading, () -> preview(wanted, fleet.count(wanted.wanted(), wanted.action().hindrance())));
  }

  private Preview preview(BulkRequest wanted, List<Group> groups) {
    Map<String, Long> byStatus = new LinkedHashMap<>();
    Map<String, Long> skips = new LinkedHashMap<>();
    List<Group> changing = new ArrayList<>();
    for (Group group : groups) {
      byStatus.put(group.status(), group.workspaces());
      @Nullable String why = wanted.action().skipped(group.status());
      if (why != null) {
        skips.merge(why, group.workspaces(), Long::sum);
        continue;
      }
      changing.add(group);
      if (group.blocked() > 0) {
        skips.merge(wanted.action().blocked(), group.blocked(), Long::sum);
      }
    }
    long count = sum(byStatus);
    return new Preview(count, count - sum(skips), byStatus, skips, sample(changing));
  }

  private static long sum(Map<String, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  private List<Sample> sample(List<Group> groups) {
    Map<UUID, String> statuses = new LinkedHashMap<>();
    groups.stream()
        .flatMap(group -> group.few().stream().map(id -> Map.entry(id, group.status())))
        .limit(SAMPLE)
        .forEach(one -> statuses.put(one.getKey(), one.getValue()));
    Map<UUID, WorkspaceLabel> labels = workspaces.labelsOf(statuses.keySet());
    return statuses.entrySet().stream()
        .flatMap(one ->
            Stream.ofNullable(labels.get(one.getKey()))
                .map(label -> new Sample(label.id(), label.name(), one.getValue())))
        .toList();
  }

  /**
   * Stores the targets and starts the run. Refuses when their number differs too much from the
   * preview.
   */
  BulkRun start(BulkRequest wanted, Caller caller) {
    int expected =
        wanted
            .expected()
            .orElseThrow(() ->
                new ProblemException(
                    ErrorCode.CONFIRMATION_REQUIRED,
                    "expect_count is missing (expected: the count of ?dry_run=true)"));
    UUID id = UUID.randomUUID();
    BulkRun run =
        inTime(
            changing,
            () -> {
              List<UUID> targets = fleet.find(wanted.wanted());
              requireAsSeen(wanted.action(), targets.size(), expected);
              runs.insert(id, wanted, targets, nameOf(caller), AuditTrail.currentId());
              return described(id);
            });
    worker.wake();
    return run;
  }

  @Override
  public UUID start(List<UUID> removedIds, Instant removedAt, Caller caller) {
    UUID id = UUID.randomUUID();
    runs.insertRemoved(id, removedIds, removedAt, nameOf(caller), AuditTrail.currentId());
    BulkRun _ = described(id);
    AfterCommit.run(worker::wake);
    return id;
  }

  private static void requireAsSeen(BulkAction action, int count, int expected) {
    if (count == 0) {
      throw new ProblemException(
          ErrorCode.COUNT_CHANGED,
          "no workspace matches, so there is nothing to do",
          Map.of("count", 0));
    }
    if (count > BulkRequest.MAX_TARGETS) {
      throw ProblemException.validation(
          count + " workspaces match (expected: at most " + BulkRequest.MAX_TARGETS + ")");
    }
    boolean isExact = action == BulkAction.REMOVE;
    long tolerated = isExact ? 0 : (long) expected * TOLERATED_PERCENT / PERCENT;
    if (Math.abs((long) count - expected) > tolerated) {
      throw new ProblemException(
          ErrorCode.COUNT_CHANGED,
          count
              + " workspaces match now, not "
              + expected
              + "; nothing was changed (expected: "
              + (isExact ? "the same number" : "at most 1 % more or fewer")
              + "); look at the preview again",
          Map.of("count", count));
    }
  }

  /** Starts the run that undoes a pause or a resume. */
  BulkRun undo(UUID id, Caller caller) {
    BulkRun run = find(id);
    BulkAction reverse =
        run.action()
            .reverse()
            .orElseThrow(() ->
                new ProblemException(
                    ErrorCode.WRONG_STATE,
                    "a run of "
                        + run.action().wire()
                        + " cannot be undone (expected: one of pause or resume)"));
    if (run.state() == State.RUNNING) {
      throw new ProblemException(
          ErrorCode.WRONG_STATE, "the run has not ended; cancel it first, or wait for its end");
    }
    UUID undo = UUID.randomUUID();
    BulkRun started =
        inTime(
            changing,
            () -> {
              if (!runs.insertUndo(undo, reverse, id, nameOf(caller), AuditTrail.currentId())) {
                throw new ProblemException(
                    ErrorCode.WRONG_STATE, "the run was undone already", Map.of("undo", true));
              }
              return described(undo);
            });
    worker.wake();
    return started;
  }

  /**
   * Cancels a run after the batch that is in progress; workspaces that are changed stay changed.
   */
  BulkRun cancel(UUID id) {
    return inTime(
        changing,
        () -> {
          boolean isCancelled = runs.cancel(id);
          BulkRun run = find(id);
          if (!isCancelled) {
            throw new ProblemException(
                ErrorCode.WRONG_STATE,
                run.state() == State.RUNNING
                    ? "the workspaces are removed; the run only ends their delegations and"
                        + " messages, so there is nothing to cancel"
                    : "the run has ended, so there is nothing to cancel");
          }
          worker.recordResult(id);
          return run;
        });
  }

  BulkRun find(UUID id) {
    return runs.find(id)
        .orElseThrow(() ->
            new ProblemException(
                ErrorCode.NOT_FOUND, "no bulk run " + id + " is known here, or no longer"));
  }

  private BulkRun described(UUID id) {
    AuditTrail.addTarget(id);
    BulkRun run = find(id);
    AuditTrail.describe(run.summary());
    return run;
  }

  private static String nameOf(Caller caller) {
    return caller instanceof Caller.Operator(UUID _, String name) ? name : "admin";
  }
}

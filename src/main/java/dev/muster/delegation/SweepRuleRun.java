package dev.muster.delegation;

import dev.muster.delegation.SweepRepository.Place;
import dev.muster.delegation.SweepRepository.Selected;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.problem.DatabaseOutage;
import dev.muster.platform.work.FailingUnits;
import dev.muster.platform.work.SweepMetrics;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one rule of the sweeper over all delegations in flight. Each batch has its own transaction.
 * Two batches run at once: while one records its transitions, the other updates its rows. Of a
 * failed batch, the delegations that fail by themselves stay unchanged.
 */
final class SweepRuleRun {

  /** Updates one batch. It considers only the ids {@code only}, or all if {@code only} is null. */
  interface Rule {
    List<Selected> batch(Place from, @Nullable List<String> only);
  }

  /**
   * Counts what a run did.
   *
   * @param moved delegations that the rule changed
   * @param errors delegations that another transaction changed first or that could not be stored
   */
  record Tally(int moved, int errors) {

    static final Tally NONE = new Tally(0, 0);

    Tally plus(Tally other) {
      return new Tally(moved + other.moved, errors + other.errors);
    }
  }

  /**
   * Small enough that two batches at a time share the work evenly. This holds even with thousands
   * due.
   */
  static final int BATCH_SIZE = 1250;

  private static final Logger log = LoggerFactory.getLogger(SweepRuleRun.class);

  private final SweepRepository repository;
  private final CommitAwareTransactions transactions;
  private final SweepMetrics metrics;
  private final Ledger ledger;
  private final Rule rule;
  private final FailingUnits failing;

  /** Held during the search for the next batch, which begins where the last one ended. */
  private final ReentrantLock looking = new ReentrantLock();

  private Place from = Place.START;
  private volatile boolean ended;

  SweepRuleRun(
      SweepRepository repository,
      CommitAwareTransactions transactions,
      SweepMetrics metrics,
      Ledger ledger,
      Rule rule,
      FailingUnits failing) {
    this.repository = repository;
    this.transactions = transactions;
    this.metrics = metrics;
    this.ledger = ledger;
    this.rule = rule;
    this.failing = failing;
  }

  /** Runs the rule; throws only if the database is unreachable. */
  Tally run() {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var beside = CompletableFuture.supplyAsync(this::runBatches, threads);
      Tally here = runBatches();
      return here.plus(beside.join());
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private Tally runBatches() {
    Tally tally = Tally.NONE;
    while (!ended) {
      AtomicReference<@Nullable List<String>> ids = new AtomicReference<>();
      try {
        tally = tally.plus(sweepNext(ids));
      } catch (RuntimeException e) {
        rethrowOutage(e);
        log.debug("a batch of delegations could not be swept; trying its parts", e);
        tally = tally.plus(runParts(Objects.requireNonNullElseGet(ids.get(), this::passNext)));
      }
    }
    return tally;
  }

  private Tally runParts(List<String> ids) {
    AtomicReference<Tally> tally = new AtomicReference<>(Tally.NONE);
    failing.runAll(
        ids,
        id -> id,
        some -> {
          Tally ofSome = sweep(() -> rule.batch(Place.START, some));
          tally.updateAndGet(before -> before.plus(ofSome));
        });
    int failed = (int) ids.stream().filter(failing::isDelayed).count();
    for (int i = 0; i < failed; i++) {
      metrics.countError();
    }
    return tally.get().plus(new Tally(0, failed));
  }

  /**
   * Sweeps the next batch. A retry of the transaction takes the ids of its first try again, which
   * {@code ids} then holds.
   */
  private Tally sweepNext(AtomicReference<@Nullable List<String>> ids) {
    // locked before the transaction begins, since a wait would use up the time of the transaction
    looking.lock();
    try {
      return ended
          ? Tally.NONE
          : sweep(() -> {
            @Nullable List<String> known = ids.get();
            if (known != null) {
              return rule.batch(Place.START, known);
            }
            List<Selected> selected = rule.batch(from, null);
            ids.set(resumeAfter(selected.stream().map(Selected::place).toList()));
            releaseScan();
            return selected;
          });
    } finally {
      releaseScan();
    }
  }

  private void releaseScan() {
    if (looking.isHeldByCurrentThread()) {
      looking.unlock();
    }
  }

  /** Sweeps one batch in one transaction, all or nothing. */
  private Tally sweep(Supplier<List<Selected>> batch) {
    return tallyOf(
        transactions.runRetryingDeadlocks(_ -> {
          List<Selected> selected = batch.get();
          ledger.recordTransitions(selected.stream().flatMap(one -> one.moved().stream()).toList());
          return selected;
        }));
  }

  /** Skips a batch whose search failed; returns the next ids in flight, due or not. */
  private List<String> passNext() {
    looking.lock();
    try {
      return ended ? List.of() : resumeAfter(repository.positions(from));
    } finally {
      looking.unlock();
    }
  }

  private List<String> resumeAfter(List<Place> places) {
    from = places.isEmpty() ? from : places.getLast();
    ended = places.size() < BATCH_SIZE;
    return places.stream().map(Place::delegationId).toList();
  }

  /** Counts a batch. A lost race is logged but raises no alert. */
  private Tally tallyOf(List<Selected> batch) {
    int moved = (int) batch.stream().filter(one -> one.moved().isPresent()).count();
    metrics.countTransitions(moved);
    batch.stream()
        .filter(one -> one.moved().isEmpty())
        .forEach(lost -> {
          log.info(
              "the delegation {} changed during the sweep and is skipped",
              lost.place().delegationId());
        });
    return new Tally(moved, batch.size() - moved);
  }

  private static void rethrowOutage(RuntimeException e) {
    if (DatabaseOutage.is(e)) {
      throw e;
    }
  }
}

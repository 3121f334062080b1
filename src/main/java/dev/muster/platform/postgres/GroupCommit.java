package dev.muster.platform.postgres;

import dev.muster.platform.http.RequestDeadline;
import dev.muster.platform.log.LimitedLog;
import dev.muster.platform.postgres.BatchRetry.BatchHandler;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.event.Level;

/**
 * Commits the values of many callers in one transaction per batch.
 *
 * <p>Callers submit a value and wait. A committer takes the queued values, commits them as a batch
 * and then completes every caller.
 *
 * <p>There is no timer: the next batch starts when the last one ends. A single caller therefore
 * waits for one commit, and a thousand callers share one.
 *
 * <p>A key names the row that a value locks. Values of one key commit in the order of their
 * submission. While a key's row is locked, other keys go first. A batch has at most 256 values;
 * {@link BatchLimits} bounds the values of a key and the total weight.
 *
 * <p>A second committer prepares its batch while the first one waits for the database. It pays
 * where a batch is much work. Locks of one batch may then block the other, but the two must not
 * deadlock.
 *
 * <p>Every wait ends: at the request's deadline, and after {@link #TIMEOUT} at the latest, the
 * caller gets {@code UNAVAILABLE}, even when the database hangs.
 */
public final class GroupCommit<T, R> implements AutoCloseable {

  private static final LimitedLog log = new LimitedLog(GroupCommit.class);

  /** Also bounds callers that have no request deadline. */
  static final Duration TIMEOUT = RequestDeadline.LIMIT;

  private static final Duration WATCH_INTERVAL = Duration.ofMillis(100);
  private static final int MAX_WAITING = 20_000;
  private static final long PAUSE_WHEN_ALL_ARE_BUSY_NANOS = 2_000_000;

  private final Function<T, Object> keyOf;
  private final BatchLimits<T> limits;
  private final BatchRunner<T, R> batches;
  private final SubmissionQueue<T, R> queue;
  private final AtomicInteger unanswered = new AtomicInteger();
  private final List<Thread> committers;
  private final BackgroundLoop watch;
  private volatile boolean closed;

  /** Creates a group commit with one committer and one value per key in a batch. */
  public GroupCommit(
      String name,
      Function<T, Object> keyOf,
      BatchHandler<T, R> work,
      BackgroundLoops loops,
      MeterRegistry metrics) {
    this(name, keyOf, BatchLimits.oneOfAKey(), work, loops, metrics);
  }

  /** Creates a group commit with one committer. */
  public GroupCommit(
      String name,
      Function<T, Object> keyOf,
      BatchLimits<T> limits,
      BatchHandler<T, R> work,
      BackgroundLoops loops,
      MeterRegistry metrics) {
    this(name, keyOf, limits, 1, work, loops, metrics);
  }

  public GroupCommit(
      String name,
      Function<T, Object> keyOf,
      BatchLimits<T> limits,
      int committers,
      BatchHandler<T, R> work,
      BackgroundLoops loops,
      MeterRegistry metrics) {
    this.keyOf = keyOf;
    this.limits = limits;
    this.queue = new SubmissionQueue<>(limits);
    this.batches = new BatchRunner<>(name, work, metrics);
    Thread.Builder.OfPlatform thread = Thread.ofPlatform().daemon().name(name + "-committer-", 1);
    this.committers =
        Stream.generate(() -> thread.start(this::commitUntilClosed)).limit(committers).toList();
    this.watch = loops.start(name + "-watch", WATCH_INTERVAL, this::failOverdue);
  }

  /**
   * Returns the result after the commit.
   *
   * <p>Throws {@code UNAVAILABLE} when the commit does not happen, or is not known, in time.
   */
  public R submit(T value) {
    return submitUnlessLockedFor(TIMEOUT, value).orElseThrow(GroupCommit::tooLate);
  }

  /**
   * Submits as {@link #submit} does, but gives up on a row that stays locked.
   *
   * <p>Returns empty, with nothing stored, when the row was locked for {@code lockTimeout}. For
   * callers that can fall back to a blocking lock.
   */
  public Optional<R> submitUnlessLockedFor(Duration lockTimeout, T value) {
    if (unanswered.incrementAndGet() > MAX_WAITING || closed) {
      unanswered.decrementAndGet();
      throw ProblemException.unavailable(
          "too many requests are waiting for the database; try again in a few seconds");
    }
    try {
      PendingSubmission<T, R> submission =
          new PendingSubmission<>(
              value,
              keyOf.apply(value),
              limits.weightOf().applyAsLong(value),
              RequestDeadline.cappingNanos(TIMEOUT.toNanos()),
              lockTimeout.toNanos());
      if (queue.push(submission)) {
        committers.forEach(LockSupport::unpark);
      }
      if (closed) {
        submission.complete(new BatchOutcome.Failed<>(tooLate()));
      }
      return switch (submission.await()) {
        case BatchOutcome.Done<R>(R result) -> Optional.of(result);
        case BatchOutcome.Locked<R>() -> Optional.empty();
        case BatchOutcome.Failed<R>(RuntimeException cause) -> throw cause;
      };
    } finally {
      unanswered.decrementAndGet();
    }
  }

  /** As {@link BatchRunner#failedWithin}. */
  public boolean failedWithin(Duration memory) {
    return batches.failedWithin(memory);
  }

  /** Returns how many callers wait for an outcome. */
  int waiting() {
    return unanswered.get();
  }

  private void commitUntilClosed() {
    while (!closed) {
      try {
        List<PendingSubmission<T, R>> batch = queue.nextBatch();
        if (batch.isEmpty()) {
          LockSupport.park(this);
        } else if (commit(batch)) {
          LockSupport.parkNanos(this, PAUSE_WHEN_ALL_ARE_BUSY_NANOS);
        }
      } catch (RuntimeException | Error e) {
        log.log(Level.ERROR, "a committer failed unexpectedly and continues", e);
      }
    }
  }

  /** Commits a batch; returns true when every value's row was locked. */
  private boolean commit(List<PendingSubmission<T, R>> batch) {
    List<PendingSubmission<T, R>> busy = new ArrayList<>();
    try {
      List<BatchOutcome<R>> outcomes = batches.run(batch);
      for (int i = 0; i < batch.size(); i++) {
        BatchOutcome<R> outcome = outcomes.get(i);
        if (outcome instanceof BatchOutcome.Locked<R> && !batch.get(i).lockTimeoutIsOver()) {
          busy.add(batch.get(i));
        } else {
          batch.get(i).complete(outcome);
        }
      }
    } catch (Error e) {
      // Complete the callers first: a committer that met, say, an OutOfMemoryError never does.
      batch.forEach(submission -> submission.complete(new BatchOutcome.Failed<>(tooLate())));
      throw e;
    } finally {
      queue.ended(batch, busy);
    }
    return busy.size() == batch.size();
  }

  private void failOverdue() {
    queue.failOverdue(() -> new BatchOutcome.Failed<>(tooLate()));
  }

  private static ProblemException tooLate() {
    return ProblemException.unavailable(
        "the database did not answer in time; try again in a few seconds");
  }

  /** Lets running batches end, then fails all queued values with {@code UNAVAILABLE}. */
  @Override
  public void close() {
    closed = true;
    committers.forEach(LockSupport::unpark);
    long end = System.nanoTime() + TIMEOUT.toNanos();
    try {
      for (Thread committer : committers) {
        committer.join(Duration.ofNanos(end - System.nanoTime()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    watch.close();
    queue.failAll(() -> new BatchOutcome.Failed<>(tooLate()));
  }
}

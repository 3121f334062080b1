package dev.muster.platform.work;

import dev.muster.platform.text.ErrorText;
import dev.muster.platform.work.BackgroundLoops.LoopState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a task of this replica periodically, or when woken, on its own thread.
 *
 * <p>The thread is a daemon. A failing run never ends the loop. Consecutive failures log one
 * warning; an outage of the database is logged by the outage log instead.
 */
public final class BackgroundLoop implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(BackgroundLoop.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  /** A loop is overdue after three intervals, but not before this time. */
  private static final Duration MIN_OVERDUE = Duration.ofSeconds(10);

  private final String name;
  private final Duration interval;
  private final Runnable task;
  private final Semaphore wakeUps = new Semaphore(0);
  private final Thread thread;
  private final InstantSource clock;
  private final Predicate<Throwable> outages;
  private volatile boolean closed;
  private boolean failing;
  private volatile long endedAt = System.nanoTime();
  private volatile LoopState state;

  /**
   * @param outages accepts the failures that are logged elsewhere
   */
  BackgroundLoop(
      String name,
      Duration interval,
      Runnable task,
      InstantSource clock,
      Predicate<Throwable> outages) {
    this.name = name;
    this.interval = interval;
    this.task = task;
    this.clock = clock;
    this.outages = outages;
    this.state = new LoopState(name, interval, null, null, null, null, 0, 0, false);
    this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Runs the task soon; several wake-ups before that run cause one run only. */
  public void wake() {
    wakeUps.release();
  }

  /** Ends the loop after the current run; waits at most 5 s for it. */
  @Override
  public void close() {
    closed = true;
    wake();
    try {
      thread.join(CLOSE_TIMEOUT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  LoopState state() {
    Duration sinceEnd = Duration.ofNanos(System.nanoTime() - endedAt);
    LoopState now = state;
    return new LoopState(
        name,
        interval,
        now.lastRunAt(),
        now.lastDuration(),
        now.lastError(),
        now.lastErrorAt(),
        now.runs(),
        now.failures(),
        sinceEnd.compareTo(interval.multipliedBy(3)) > 0 && sinceEnd.compareTo(MIN_OVERDUE) > 0);
  }

  private void run() {
    while (!closed) {
      runOnce();
      try {
        if (wakeUps.tryAcquire(interval.toMillis(), TimeUnit.MILLISECONDS)) {
          wakeUps.drainPermits();
        }
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void runOnce() {
    Instant startedAt = clock.instant();
    long start = System.nanoTime();
    @Nullable Throwable failure = failureOfRun();
    endedAt = System.nanoTime();
    LoopState before = state;
    state =
        new LoopState(
            name,
            interval,
            startedAt,
            Duration.ofNanos(endedAt - start),
            failure == null ? before.lastError() : ErrorText.summary(failure),
            failure == null ? before.lastErrorAt() : startedAt,
            before.runs() + 1,
            before.failures() + (failure == null ? 0 : 1),
            false);
  }

  private @Nullable Throwable failureOfRun() {
    try {
      task.run();
      if (failing) {
        failing = false;
        log.info("{} works again", name);
      }
      return null;
    } catch (RuntimeException | Error e) {
      if (!outages.test(e) && !failing && !closed) {
        failing = true;
        log.warn(
            "{} failed and will be tried again every {} ms: {}",
            name,
            interval.toMillis(),
            e.toString());
      }
      return e;
    }
  }
}

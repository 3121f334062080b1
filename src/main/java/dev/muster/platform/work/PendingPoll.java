package dev.muster.platform.work;

import dev.muster.platform.http.Owner;
import dev.muster.platform.http.RequestDeadline;
import dev.muster.platform.work.LongPoll.PollResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** Holds one waiting long poll; at most one thread at a time looks for its result. */
final class PendingPoll<T> {

  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

  private static final int IDLE = 0;
  private static final int LOOKING = 1;
  private static final int WANTED_AGAIN = 2;

  private final LongPoll<T> poll;
  private final Executor lookers;
  private final long overAt;
  private final AtomicInteger state = new AtomicInteger(LOOKING);
  private final CompletableFuture<T> answer = new CompletableFuture<>();
  private volatile long version;
  private long checkAt = System.nanoTime() + CHECK_INTERVAL.toNanos();

  PendingPoll(LongPoll<T> poll, Duration atMost, Executor lookers) {
    this.poll = poll;
    this.lookers = lookers;
    this.overAt = System.nanoTime() + atMost.toNanos();
  }

  CompletableFuture<T> answer() {
    return answer;
  }

  Owner owner() {
    return poll.owner();
  }

  Object topic() {
    return poll.topic();
  }

  long version() {
    return version;
  }

  /** Looks for the first time, on the calling thread. Call it once. */
  void lookFirst() {
    look();
  }

  /** Starts a look, or repeats the running one, because there may be a result. */
  void wake() {
    if (!answer.isDone()
        && state.getAndUpdate(was -> was == IDLE ? LOOKING : WANTED_AGAIN) == IDLE) {
      lookers.execute(this::look);
    }
  }

  private void look() {
    do {
      state.set(LOOKING);
      if (answer.isDone()) {
        return;
      }
      try {
        switch (poll.look().get()) {
          case PollResult.Answer<T>(T value) -> answer.complete(value);
          case PollResult.Nothing<T>(long seen) -> version = seen;
          case PollResult.Unfinished<T> _ -> state.set(WANTED_AGAIN);
        }
      } catch (RuntimeException | Error e) {
        answer.completeExceptionally(e);
      }
    } while (!answer.isDone() && !state.compareAndSet(LOOKING, IDLE));
  }

  /**
   * Ends an overdue poll or starts its check; called by the registry's loop only.
   *
   * <p>A running look ends first: a slow database must not turn existing rows into an empty
   * response (R6.2). A look that takes longer than a request may is given up.
   */
  void tick(long now) {
    long overdue = now - overAt;
    if (overdue < 0) {
      if (now - checkAt >= 0) {
        checkAt = now + CHECK_INTERVAL.toNanos();
        lookers.execute(this::check);
      }
    } else if (state.get() == IDLE || overdue >= RequestDeadline.LIMIT.toNanos()) {
      giveUp();
    }
  }

  /**
   * Runs on another thread than the loop: it may query the database and would delay all other
   * polls.
   */
  private void check() {
    if (!answer.isDone() && !poll.mayKeepWaiting().getAsBoolean()) {
      wake();
    }
  }

  void giveUp() {
    answer.complete(poll.nothing());
  }
}

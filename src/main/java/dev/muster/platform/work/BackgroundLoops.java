package dev.muster.platform.work;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Starts all background loops of this replica and knows their states.
 *
 * <p>A loop cannot be started without it, so that {@code GET /admin/liveness} shows every loop, and
 * a stopped one as overdue.
 */
@Component
public class BackgroundLoops {

  /** Describes the runs of a loop; nulls before the first run or the first failure. */
  public record LoopState(
      String name,
      Duration interval,
      @Nullable Instant lastRunAt,
      @Nullable Duration lastDuration,
      @Nullable String lastError,
      @Nullable Instant lastErrorAt,
      long runs,
      long failures,
      boolean overdue) {}

  private final InstantSource clock;
  private final Queue<BackgroundLoop> started = new ConcurrentLinkedQueue<>();
  private volatile Predicate<Throwable> outages = failure -> false;

  public BackgroundLoops(InstantSource clock) {
    this.clock = clock;
  }

  /** Starts a loop whose first run begins at once. */
  public BackgroundLoop start(String name, Duration interval, Runnable task) {
    BackgroundLoop loop =
        new BackgroundLoop(name, interval, task, clock, failure -> outages.test(failure));
    started.add(loop);
    loop.start();
    return loop;
  }

  /**
   * Leaves failures that {@code outages} accepts out of the log of all present and future loops.
   */
  public void reportFailuresTo(Predicate<Throwable> outages) {
    this.outages = outages;
  }

  public List<LoopState> states() {
    return started.stream()
        .map(BackgroundLoop::state)
        .sorted(Comparator.comparing(LoopState::name))
        .toList();
  }
}

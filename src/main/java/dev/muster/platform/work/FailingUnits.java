package dev.muster.platform.work;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.platform.log.LineBudget;
import dev.muster.platform.problem.DatabaseOutage;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.ErrorText;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;

/**
 * Lets a loop or job go on when one of its units fails every time. A unit is what it handles by
 * itself: a message, a row, a target, a run.
 *
 * <p>Such a unit waits for 5 s after its first failure, then twice as long each time, at most 5
 * minutes. The first of its failures in a row is one log line with its id. Each is counted in
 * {@code muster_units_failed_total}.
 *
 * <p>An outage of the database says nothing about a unit: it is thrown and ends the run.
 *
 * <p>Thread-safe. It keeps at most 10,000 units, each for an hour after its last failure.
 */
public final class FailingUnits {

  static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
  static final Duration MAX_PAUSE = Duration.ofMinutes(5);

  private static final int MAX_DOUBLINGS = 6;
  private static final int MAX_KEPT = 10_000;
  private static final Duration KEPT_FOR = Duration.ofHours(1);
  private static final Logger log = LoggerFactory.getLogger(FailingUnits.class);

  private record Failures(int inARow, long dueAt) {}

  private final String loop;
  private final LongSupplier nanoTime;
  private final LineBudget lines;
  private final Counter failures;
  private final Cache<Object, Failures> failing;

  /**
   * Keeps the failing units of one loop or job.
   *
   * @param loop its name in {@code GET /admin/liveness}
   */
  public FailingUnits(String loop, MeterRegistry metrics) {
    this(loop, metrics, System::nanoTime);
  }

  FailingUnits(String loop, MeterRegistry metrics, LongSupplier nanoTime) {
    this.loop = loop;
    this.nanoTime = nanoTime;
    this.lines = new LineBudget(nanoTime);
    this.failing =
        Caffeine.newBuilder()
            .maximumSize(MAX_KEPT)
            .expireAfterWrite(KEPT_FOR)
            .ticker(nanoTime::getAsLong)
            .build();
    this.failures =
        Counter.builder("muster.units.failed")
            .description("Failures of single units of a loop or job, while its others went on")
            .tag("loop", loop)
            .register(metrics);
  }

  /** Returns whether the unit has failed and its pause is not over. */
  public boolean isDelayed(Object unit) {
    @Nullable Failures known = failing.getIfPresent(unit);
    return known != null && known.dueAt() - nanoTime.getAsLong() > 0;
  }

  /**
   * Runs the work of one unit, unless it is delayed; returns whether it succeeded. Throws only an
   * outage of the database.
   */
  public boolean run(Object unit, Runnable work) {
    if (isDelayed(unit)) {
      return false;
    }
    try {
      work.run();
    } catch (RuntimeException e) {
      Duration _ = failed(unit, e);
      return false;
    }
    succeeded(unit);
    return true;
  }

  /**
   * Runs the work of all units that are not delayed, in their order. If it fails, it runs for each
   * half, until only the units that fail by themselves have failed. Throws only an outage of the
   * database.
   *
   * @param work does all of it or, when it throws, nothing
   */
  public <T> void runAll(Collection<T> units, Function<T, Object> idOf, Consumer<List<T>> work) {
    List<T> due = units.stream().filter(one -> !isDelayed(idOf.apply(one))).toList();
    runHalves(
        due,
        some -> {
          work.accept(some);
          some.forEach(one -> succeeded(idOf.apply(one)));
        },
        (one, failure) -> {
          Duration _ = failed(idOf.apply(one), failure);
        });
  }

  /**
   * As {@link #runAll}, for units in an order that must not wait, such as the events of a log: what
   * fails by itself is passed over.
   */
  public <T> void passAll(Collection<T> units, Function<T, Object> idOf, Consumer<List<T>> work) {
    runHalves(List.copyOf(units), work, (one, failure) -> passedOver(idOf.apply(one), failure));
  }

  private static <T> void runHalves(
      List<T> units, Consumer<List<T>> work, BiConsumer<T, RuntimeException> failed) {
    if (units.isEmpty()) {
      return;
    }
    try {
      work.accept(units);
    } catch (RuntimeException e) {
      if (units.size() == 1) {
        failed.accept(units.getFirst(), e);
        return;
      }
      throwIfOutage(e);
      int middle = units.size() / 2;
      runHalves(units.subList(0, middle), work, failed);
      runHalves(units.subList(middle, units.size()), work, failed);
    }
  }

  /** Returns those of this type that are delayed. */
  public <T> List<T> delayed(Class<T> type) {
    return failing.asMap().keySet().stream()
        .filter(type::isInstance)
        .map(type::cast)
        .filter(this::isDelayed)
        .toList();
  }

  /**
   * Delays a unit that has failed, counts the failure and logs the first one; returns the pause.
   * Throws the failure if it is an outage of the database.
   */
  public Duration failed(Object unit, RuntimeException failure) {
    throwIfOutage(failure);
    @Nullable Failures before = failing.getIfPresent(unit);
    int inARow = before == null ? 1 : before.inARow() + 1;
    Duration pause = pauseAfter(inARow);
    failing.put(unit, new Failures(inARow, nanoTime.getAsLong() + pause.toNanos()));
    report(unit, failure, inARow == 1, "is tried again, after pauses of up to 5 minutes");
    return pause;
  }

  /**
   * Counts and logs a unit that is given up, since what comes after it must not wait. Throws the
   * failure if it is an outage of the database.
   */
  public void passedOver(Object unit, RuntimeException failure) {
    throwIfOutage(failure);
    report(unit, failure, true, "is passed over");
  }

  private void report(Object unit, RuntimeException failure, boolean isFirst, String then) {
    failures.increment();
    if (isFirst && lines.grant(1) == 1) {
      log.warn(
          "{}: {} failed and {}; the others go on: {}",
          loop,
          unit,
          then,
          ErrorText.summary(NestedExceptionUtils.getMostSpecificCause(failure)));
    }
    log.debug("{}: {} failed", loop, unit, failure);
  }

  /** Forgets the failures of a unit; says so if there were any. */
  public void succeeded(Object unit) {
    if (failing.getIfPresent(unit) != null) {
      failing.invalidate(unit);
      if (lines.grant(1) == 1) {
        log.info("{}: {} works again", loop, unit);
      }
    }
  }

  private static void throwIfOutage(RuntimeException failure) {
    if (isOutage(failure)) {
      throw failure;
    }
  }

  /** Returns whether the failure says nothing about the unit, since it would meet any other too. */
  public static boolean isOutage(Throwable failure) {
    return DatabaseOutage.isCauseOf(failure)
        || (failure instanceof ProblemException problem && problem.code() == ErrorCode.UNAVAILABLE);
  }

  private static Duration pauseAfter(int inARow) {
    Duration doubled = FIRST_PAUSE.multipliedBy(1L << Math.min(inARow - 1, MAX_DOUBLINGS));
    return doubled.compareTo(MAX_PAUSE) < 0 ? doubled : MAX_PAUSE;
  }
}

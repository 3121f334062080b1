package dev.muster.platform.work;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.management.VirtualThreadSchedulerMXBean;
import org.springframework.stereotype.Component;

/**
 * Adds carrier threads while virtual threads wait too long for one.
 *
 * <p>A virtual thread keeps its carrier until it blocks. A few requests that compute for long can
 * therefore occupy all carriers, of which there are as many as processors. With more carriers than
 * processors the operating system shares the time. That costs throughput, so the number is reduced
 * again after 3 s without delays.
 */
@Component
final class CarrierThreads {

  static final int MIN_CARRIERS_WHEN_BUSY = 32;

  private static final Duration PROBE_INTERVAL = Duration.ofMillis(100);

  /** All carriers are busy when a new virtual thread starts later than this. */
  private static final Duration MAX_DELAY = Duration.ofMillis(50);

  /** A pause of the whole machine delays one probe, not several in a row. */
  private static final int DELAYS_BEFORE_MORE = 3;

  private static final Duration CALM_BEFORE_FEWER = Duration.ofSeconds(3);

  private static final VirtualThreadSchedulerMXBean SCHEDULER =
      ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);

  /** The JVM has one scheduler; read its size once, before any server in this JVM raises it. */
  private static final int CARRIERS = SCHEDULER.getParallelism();

  private static final int CARRIERS_WHEN_BUSY = Math.max(MIN_CARRIERS_WHEN_BUSY, CARRIERS);

  private final BackgroundLoop loop;
  private int delaysInARow;
  private long lastDelayAt = System.nanoTime() - CALM_BEFORE_FEWER.toNanos();

  CarrierThreads(MeterRegistry metrics, BackgroundLoops loops) {
    Gauge.builder("muster.carrier.threads", SCHEDULER, VirtualThreadSchedulerMXBean::getParallelism)
        .description(
            "Platform threads that run virtual threads: as many as processors, but at least "
                + MIN_CARRIERS_WHEN_BUSY
                + " while virtual threads wait too long")
        .register(metrics);
    this.loop = loops.start("carrier-threads", PROBE_INTERVAL, this::probe);
  }

  /** Runs on a platform thread. */
  private void probe() {
    CountDownLatch started = new CountDownLatch(1);
    if (delaysInARow == 0) {
      Thread.startVirtualThread(started::countDown);
    } else {
      startFromNewThread(started::countDown);
    }
    if (!isOverInTime(started)) {
      lastDelayAt = System.nanoTime();
      delaysInARow++;
      if (delaysInARow >= DELAYS_BEFORE_MORE) {
        setCarriers(CARRIERS_WHEN_BUSY);
      }
    } else {
      delaysInARow = 0;
      if (System.nanoTime() - lastDelayAt > CALM_BEFORE_FEWER.toNanos()) {
        setCarriers(CARRIERS);
      }
    }
  }

  /**
   * Starts the probe from a new platform thread, which has a queue of its own.
   *
   * <p>The scheduler queues a virtual thread in the queue of the platform thread that starts it. It
   * adds a carrier only when that queue was empty, and an earlier probe may still wait in it.
   */
  private static void startFromNewThread(Runnable probe) {
    Thread.ofPlatform()
        .daemon()
        .name("carrier-threads-probe")
        .start(() -> Thread.startVirtualThread(probe));
  }

  private static boolean isOverInTime(CountDownLatch started) {
    try {
      return started.await(MAX_DELAY.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private void setCarriers(int wanted) {
    if (SCHEDULER.getParallelism() != wanted) {
      SCHEDULER.setParallelism(wanted);
    }
  }

  @PreDestroy
  void close() {
    loop.close();
    setCarriers(CARRIERS);
  }
}

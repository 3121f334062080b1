package dev.muster.platform.loop;

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
 * Adds platform threads that carry the virtual ones while these wait too long for one.
 *
 * <p>A virtual thread keeps its carrier until it waits, so a few requests that compute for long
 * keep all carriers, of which there are as many as processors, from everybody else. Among more
 * carriers than processors the operating system shares the time, which costs throughput: so there
 * are more only as long as they are needed.
 */
@Component
final class CarrierThreads {

  static final int MIN_CARRIERS_WHEN_BUSY = 32;

  private static final Duration PROBE_INTERVAL = Duration.ofMillis(100);

  /** A new virtual thread that waits for longer finds the carriers occupied. */
  private static final Duration MAX_DELAY = Duration.ofMillis(50);

  /** A pause of the whole machine delays one probe, not several in a row. */
  private static final int DELAYS_BEFORE_MORE = 3;

  private static final Duration CALM_BEFORE_FEWER = Duration.ofSeconds(3);

  private static final VirtualThreadSchedulerMXBean SCHEDULER =
      ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);

  /** The scheduler is one for the JVM; read once, before any server of it has asked for more. */
  private static final int CARRIERS = SCHEDULER.getParallelism();

  private static final int CARRIERS_WHEN_BUSY = Math.max(MIN_CARRIERS_WHEN_BUSY, CARRIERS);

  private final BackgroundLoop loop;
  private int delaysInARow;
  private long lastDelayAt = System.nanoTime() - CALM_BEFORE_FEWER.toNanos();

  CarrierThreads(MeterRegistry metrics) {
    Gauge.builder("muster.carrier.threads", SCHEDULER, VirtualThreadSchedulerMXBean::getParallelism)
        .description("Platform threads that may carry virtual ones; more while those wait too long")
        .register(metrics);
    this.loop = BackgroundLoop.start("carrier-threads", PROBE_INTERVAL, this::probe);
  }

  /** On a platform thread. */
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
   * The scheduler puts what a platform thread starts into a queue of that thread's, and adds a
   * carrier only when it puts something into an empty queue: never into the one where an earlier
   * probe still waits. Another thread has another queue.
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

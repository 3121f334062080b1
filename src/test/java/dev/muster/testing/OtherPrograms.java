package dev.muster.testing;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * Measures the processor time of programs other than this test and its processes, since it was
 * created. A time limit means nothing for a server that had no processor.
 */
public final class OtherPrograms {

  private static final double MUCH = 0.25;

  private static final OperatingSystemMXBean MACHINE =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final long begunAt = System.nanoTime();
  private final long ownBefore = ownNanos();

  public OtherPrograms() {
    MACHINE.getCpuLoad(); // starts the interval of the next call
  }

  /** Returns whether they used more than a quarter; call it once. */
  public boolean usedMuch() {
    double capacity = (double) (System.nanoTime() - begunAt) * MACHINE.getAvailableProcessors();
    return MACHINE.getCpuLoad() - (ownNanos() - ownBefore) / capacity > MUCH;
  }

  private static long ownNanos() {
    ProcessHandle self = ProcessHandle.current();
    return Stream.concat(Stream.of(self), self.descendants())
        .mapToLong(one -> one.info().totalCpuDuration().orElse(Duration.ZERO).toNanos())
        .sum();
  }
}

package dev.muster.testing;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * How much of the machine's processors was used by others than this test and the processes that it
 * started, since this was made. A bound of time by the clock says nothing of a server that others
 * kept from running.
 */
public final class OtherPrograms {

  private static final double MUCH = 0.25;

  private static final OperatingSystemMXBean MACHINE =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final long begunAt = System.nanoTime();
  private final long oursBefore = nanosOfOurs();

  public OtherPrograms() {
    MACHINE.getCpuLoad(); // the next one tells of the time since this one
  }

  /** Whether they used more than a quarter; to be asked once. */
  public boolean usedMuch() {
    double capacity = (double) (System.nanoTime() - begunAt) * MACHINE.getAvailableProcessors();
    return MACHINE.getCpuLoad() - (nanosOfOurs() - oursBefore) / capacity > MUCH;
  }

  private static long nanosOfOurs() {
    ProcessHandle self = ProcessHandle.current();
    return Stream.concat(Stream.of(self), self.descendants())
        .mapToLong(one -> one.info().totalCpuDuration().orElse(Duration.ZERO).toNanos())
        .sum();
  }
}

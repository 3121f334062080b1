package dev.muster.platform.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestServer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.management.VirtualThreadSchedulerMXBean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Virtual threads that compute without end do not block the others. */
@Slow
@Timeout(60)
@Isolated("a server that starts or stops beside it sets the number of carriers as well")
class CarrierThreadsTest {

  private static final VirtualThreadSchedulerMXBean SCHEDULER =
      ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);

  @Test
  void areAddedWhileVirtualThreadsOccupyAllOfThem() throws Exception {
    assertThat(TestServer.shared().port()).isPositive();
    AtomicBoolean over = new AtomicBoolean();
    try {
      int greedy = 2 * Runtime.getRuntime().availableProcessors();
      for (int i = 0; i < greedy; i++) {
        Thread.startVirtualThread(() -> {
          while (!over.get()) {
            Thread.onSpinWait();
          }
        });
      }
      CountDownLatch served = new CountDownLatch(1);
      Thread.startVirtualThread(served::countDown);

      assertThat(served.await(Duration.ofSeconds(20).toSeconds(), TimeUnit.SECONDS)).isTrue();
      Awaitility.await()
          .until(() -> SCHEDULER.getParallelism() >= CarrierThreads.MIN_CARRIERS_WHEN_BUSY);
    } finally {
      over.set(true);
    }
  }
}

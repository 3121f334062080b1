package dev.muster.platform.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BackgroundLoopTest {

  private final Semaphore begun = new Semaphore(0);
  private final Semaphore mayEnd = new Semaphore(0);

  private boolean hasBegun() throws InterruptedException {
    return begun.tryAcquire(20, TimeUnit.SECONDS);
  }

  @Test
  void runsAgainWhenItIsWokenDuringARun() throws Exception {
    try (BackgroundLoop loop =
        new BackgroundLoop(
            "woken",
            Duration.ofHours(1),
            () -> {
              begun.release();
              mayEnd.acquireUninterruptibly();
            },
            InstantSource.system(),
            failure -> false)) {
      loop.start();
      assertThat(hasBegun()).isTrue();

      loop.wake();
      mayEnd.release();

      assertThat(hasBegun()).isTrue();
      mayEnd.release(2);
    }
  }
}

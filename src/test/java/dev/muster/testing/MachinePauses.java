package dev.muster.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;

/**
 * Measures how long the disk or the processors of this machine make a program wait that writes one
 * block every 20 ms. A time limit means nothing for a server that could not commit meanwhile.
 */
public final class MachinePauses implements AutoCloseable {

  private static final Duration INTERVAL = Duration.ofMillis(20);
  private static final int BLOCK_SIZE = 4096;

  private final Path file;
  private final Thread thread;
  private volatile boolean closed;
  private volatile long longestNanos;
  private volatile long waitingSince = System.nanoTime();

  public MachinePauses() throws IOException {
    file = Files.createTempFile(Files.createDirectories(Path.of("target")), "pauses-", "");
    thread = Thread.ofPlatform().daemon().name("machine-pauses").start(this::measure);
  }

  /** Returns the longest wait until now, also one that has not ended. */
  public Duration longest() {
    return Duration.ofNanos(Math.max(longestNanos, waitedUntilNow()));
  }

  private long waitedUntilNow() {
    return System.nanoTime() - waitingSince - INTERVAL.toNanos();
  }

  /**
   * Waits until a condition holds, and asserts that this took no longer than the limit and the
   * longest wait of this machine meanwhile.
   */
  public static void awaitWithin(Duration limit, Callable<Boolean> condition) throws IOException {
    try (MachinePauses pauses = new MachinePauses()) {
      long start = System.nanoTime();
      Awaitility.await().pollInterval(Duration.ofMillis(50)).until(condition);
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isLessThan(limit.plus(pauses.longest()));
    }
  }

  private void measure() {
    ByteBuffer block = ByteBuffer.allocate(BLOCK_SIZE);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      while (!closed) {
        waitingSince = System.nanoTime();
        LockSupport.parkNanos(INTERVAL.toNanos());
        channel.write(block.rewind(), 0);
        channel.force(false);
        longestNanos = Math.max(longestNanos, waitedUntilNow());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Files.delete(file);
  }
}

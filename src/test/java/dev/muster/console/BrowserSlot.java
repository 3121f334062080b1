package dev.muster.console;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * One of two places for a browser that works: a browser takes all processors that it gets, and with
 * more than two at once pages answer late. Held over all JVMs of a run by a lock on a file, which
 * ends with the JVM.
 */
final class BrowserSlot implements AutoCloseable {

  private static final int COUNT = 2;
  private static final Duration INTERVAL = Duration.ofMillis(50);

  private final FileChannel channel;

  private BrowserSlot(FileChannel channel) {
    this.channel = channel;
  }

  /** Waits until a place is free. */
  static BrowserSlot take() {
    try {
      Path folder = Files.createDirectories(Path.of("target"));
      while (true) {
        for (int i = 0; i < COUNT; i++) {
          FileChannel channel =
              FileChannel.open(
                  folder.resolve("browser-" + i),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock lock = channel.tryLock();
          if (lock != null) {
            return new BrowserSlot(channel);
          }
          channel.close();
        }
        LockSupport.parkNanos(INTERVAL.toNanos());
      }
    } catch (IOException e) {
      throw new IllegalStateException("no lock for a browser in the folder target", e);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}

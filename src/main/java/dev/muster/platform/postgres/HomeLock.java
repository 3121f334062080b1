package dev.muster.platform.postgres;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Locks a home exclusively; the operating system releases the lock when the process dies. */
final class HomeLock {

  /**
   * The channels whose locks this process holds.
   *
   * <p>Static, because garbage collection of a channel would close it and release its lock. Checked
   * before any channel is opened: a process loses its POSIX lock when it closes <em>any</em>
   * channel on the file.
   */
  private static final Map<Path, FileChannel> HELD = new HashMap<>();

  private final Path file;

  private HomeLock(Path file) {
    this.file = file;
  }

  /** Takes the lock; returns null when this or another process already holds it. */
  static @Nullable HomeLock take(Path home) throws IOException {
    Path file = home.resolve("lock");
    synchronized (HELD) {
      if (HELD.containsKey(file)) {
        return null;
      }
      FileChannel channel = PrivateFiles.open(file, CREATE, WRITE);
      boolean taken = false;
      try {
        taken = channel.tryLock() != null;
      } finally {
        if (taken) {
          HELD.put(file, channel);
        } else {
          channel.close();
        }
      }
      return taken ? new HomeLock(file) : null;
    }
  }

  void release() throws IOException {
    synchronized (HELD) {
      FileChannel channel = HELD.remove(file);
      if (channel != null) {
        channel.close();
      }
    }
  }
}

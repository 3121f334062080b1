package dev.muster.agent.cli;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the answers that processes of one agent wait for. {@code connect} does not pass such an
 * answer to its command as well. Each wait has a file in the state folder. The waiting process
 * locks the file and writes one byte when it has the answer. The file of a process that died stays
 * empty, so {@code connect} passes its answer on.
 */
final class Waits {

  private static final Logger log = LoggerFactory.getLogger(Waits.class);
  private static final Duration MAX_REPORT_TIME = Duration.ofSeconds(30);
  private static final int MAX_WAITS = 2_000;
  private static final byte[] REPORTED = {'1'};

  private final Path folder;

  Waits(Path stateDir) {
    folder = stateDir.resolve("waits");
  }

  /** Holds the lock of one wait; the caller closes it when the wait ends. */
  static final class Wait implements AutoCloseable {

    private final Path file;
    private final @Nullable FileChannel locked;
    private boolean reported;

    private Wait(Path file, @Nullable FileChannel locked) {
      this.file = file;
      this.locked = locked;
    }

    /** Records that this process has printed the answer. */
    void markReported() throws IOException {
      if (locked != null) {
        locked.write(ByteBuffer.wrap(REPORTED), 0);
        reported = true;
      }
    }

    /** Ends the wait. Without an answer it deletes the file, so the command gets the answer. */
    @Override
    public void close() throws IOException {
      if (locked != null) {
        if (!reported) {
          Files.deleteIfExists(file);
        }
        locked.close();
      }
    }
  }

  /**
   * Blocks {@code connect} from deciding on any answer until the result is closed. A request may be
   * in flight whose id is not known yet.
   */
  Closeable holdingAnswers() {
    try {
      FileChannel channel = open(everything());
      FileLock ignored = channel.lock(0, Long.MAX_VALUE, true);
      return channel;
    } catch (IOException e) {
      return () -> {}; // begin() logs it
    }
  }

  /** Begins a wait for an answer. If another process waits already, the result does nothing. */
  Wait begin(String id) {
    Path file = file(id);
    try {
      prune();
      FileChannel channel = open(file);
      if (channel.tryLock() == null) {
        channel.close();
        return new Wait(file, null);
      }
      channel.truncate(0);
      return new Wait(file, channel);
    } catch (IOException e) {
      log.warn("the command of connect gets the answer as well: {}", e.toString());
      return new Wait(file, null);
    }
  }

  /**
   * Returns whether a process waited for the answer with this id and got it. Deletes the file, so
   * only the first call returns true. Waits up to 30 s for a waiting process.
   */
  boolean wasReported(String id) throws IOException, InterruptedException {
    if (!Files.isDirectory(folder)) {
      return false;
    }
    try (FileChannel all = open(everything())) {
      FileLock ignored = all.lock();
    }
    Path file = file(id);
    if (!Files.exists(file)) {
      return false;
    }
    try (FileChannel channel = open(file)) {
      long due = System.nanoTime() + MAX_REPORT_TIME.toNanos();
      while (channel.tryLock() == null) {
        if (System.nanoTime() > due) {
          return false;
        }
        Thread.sleep(20);
      }
      boolean reported = channel.size() > 0;
      Files.deleteIfExists(file);
      return reported;
    }
  }

  private FileChannel open(Path file) throws IOException {
    Files.createDirectories(folder);
    return FileChannel.open(file, READ, WRITE, CREATE);
  }

  private Path everything() {
    return folder.resolve("lock");
  }

  private Path file(String id) {
    return folder.resolve(UUID.nameUUIDFromBytes(id.getBytes(StandardCharsets.UTF_8)).toString());
  }

  /**
   * Limits the files that no {@code connect} ever checked. Above 2,000 files it deletes the older
   * ones that record a received answer.
   */
  private void prune() throws IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.filter(file -> !file.equals(everything())).toList();
    }
    if (files.size() <= MAX_WAITS) {
      return;
    }
    List<Path> oldestFirst = files.stream().sorted(Comparator.comparing(Waits::time)).toList();
    for (Path file : oldestFirst.subList(0, files.size() - MAX_WAITS / 2)) {
      boolean reported = Files.exists(file) && Files.size(file) > 0;
      if (reported) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static FileTime time(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException gone) {
      return FileTime.fromMillis(0);
    }
  }
}

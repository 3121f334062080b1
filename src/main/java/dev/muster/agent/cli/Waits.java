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
 * The answers that processes of one agent wait for themselves, so that {@code connect} does not
 * hand them to its command as well. There is a file for each in the state folder. It is locked
 * while somebody waits, and has something in it once he was told; so one who dies waiting leaves an
 * answer that is handed on.
 */
final class Waits {

  private static final Logger log = LoggerFactory.getLogger(Waits.class);
  private static final Duration MAX_REPORT_TIME = Duration.ofSeconds(30);
  private static final int MAX_WAITS = 2_000;
  private static final byte[] TOLD = {'1'};

  private final Path folder;

  Waits(Path stateDir) {
    folder = stateDir.resolve("waits");
  }

  /** One wait; to be closed when it is over. */
  static final class Wait implements AutoCloseable {

    private final Path file;
    private final @Nullable FileChannel locked;
    private boolean told;

    private Wait(Path file, @Nullable FileChannel locked) {
      this.file = file;
      this.locked = locked;
    }

    /** The answer was put out. */
    void told() throws IOException {
      if (locked != null) {
        locked.write(ByteBuffer.wrap(TOLD), 0);
        told = true;
      }
    }

    /** Who was not told leaves the answer to the command. */
    @Override
    public void close() throws IOException {
      if (locked != null) {
        if (!told) {
          Files.deleteIfExists(file);
        }
        locked.close();
      }
    }
  }

  /**
   * Until the result is closed, {@code connect} does not decide on any answer: a request whose
   * answer has no name yet may be under way.
   */
  Closeable holdingAnswers() {
    try {
      FileChannel channel = open(everything());
      FileLock _ = channel.lock(0, Long.MAX_VALUE, true);
      return channel;
    } catch (IOException e) {
      return () -> {}; // begin() says so
    }
  }

  /** From now on somebody waits for the answer; if another does already, that one is told. */
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
      log.warn("the answer will go to the command of connect as well: {}", e.toString());
      return new Wait(file, null);
    }
  }

  /** Whether somebody waited for the answer with this name, and got it. It is asked for once. */
  boolean wasTold(String id) throws IOException, InterruptedException {
    if (!Files.isDirectory(folder)) {
      return false;
    }
    try (FileChannel all = open(everything())) {
      FileLock _ = all.lock();
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
      boolean told = channel.size() > 0;
      Files.deleteIfExists(file);
      return told;
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

  /** Of answers that no {@code connect} ever asked about, the older ones go. */
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
      boolean told = Files.exists(file) && Files.size(file) > 0;
      if (told) {
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

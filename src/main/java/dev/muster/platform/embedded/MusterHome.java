package dev.muster.platform.embedded;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.muster.platform.settings.Setting;
import dev.muster.platform.settings.StartRefusedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Manages the folder of an embedded server's database and secrets (MUSTER_HOME).
 *
 * <p>An open home is locked: no other server, in this process or another, can open it. The lock
 * ends with the process, even after a kill.
 */
public final class MusterHome implements AutoCloseable {

  private static final String ANOTHER = "set MUSTER_HOME to another folder";
  private static final Pattern SECRET_NAME = Pattern.compile("[a-z][a-z0-9-]*");

  private final Path folder;
  private final HomeLock lock;

  private MusterHome(Path folder, HomeLock lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /**
   * Returns the folder that the setting names; where it is empty, {@code .muster} in the home
   * folder of the user, {@code HOME} first.
   */
  public static Path folder(Optional<String> setting) {
    return setting
        .map(text -> Setting.MUSTER_HOME.parse(() -> path(text)))
        .orElseGet(() -> {
          String home = Objects.requireNonNullElse(System.getenv("HOME"), "");
          return Path.of(home.isEmpty() ? System.getProperty("user.home") : home, ".muster")
              .toAbsolutePath();
        });
  }

  private static Path path(String text) {
    try {
      return Path.of(text).toAbsolutePath();
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("expected the path of a folder", e);
    }
  }

  /**
   * Opens the home; creates it, accessible to its owner only, if it is missing.
   *
   * @throws StartRefusedException if it is in use, or cannot be created or written to
   */
  public static MusterHome open(Path folder) {
    Path home = create(folder.toAbsolutePath().normalize());
    return take(home)
        .orElseThrow(() ->
            new StartRefusedException(
                "Muster is already running with the home %s; stop it or %s."
                    .formatted(home, ANOTHER)));
  }

  /** As {@link #open}; empty if the home is in use. */
  public static Optional<MusterHome> openIfFree(Path folder) {
    return take(create(folder.toAbsolutePath().normalize()));
  }

  private static Optional<MusterHome> take(Path home) {
    if (!Files.isWritable(home)) {
      throw notWritable(home, "it is read-only for the user " + System.getProperty("user.name"));
    }
    try {
      HomeLock lock = HomeLock.take(home);
      return lock == null ? Optional.empty() : Optional.of(new MusterHome(home, lock));
    } catch (IOException e) {
      throw new StartRefusedException(
          "The home %s cannot be locked (%s); make it a writable folder on a local disk or %s."
              .formatted(home, IoFailureText.of(e), ANOTHER),
          e);
    }
  }

  private static Path create(Path home) {
    if (Files.exists(home) && !Files.isDirectory(home)) {
      throw new StartRefusedException(
          "The home %s is a file, not a folder; move it away or %s.".formatted(home, ANOTHER));
    }
    try {
      PrivateFiles.createFolder(home);
      // Resolve links: the lock and the check for left-over processes compare paths.
      return home.toRealPath();
    } catch (IOException e) {
      throw new StartRefusedException(
          "The home %s cannot be created (%s); create it for the user %s or %s."
              .formatted(home, IoFailureText.of(e), System.getProperty("user.name"), ANOTHER),
          e);
    }
  }

  private static StartRefusedException notWritable(Path path, String reason) {
    return new StartRefusedException(
        "Muster cannot write to %s (%s); make it writable or %s.".formatted(path, reason, ANOTHER));
  }

  /** Returns the absolute path of the folder, with all links resolved. */
  public Path folder() {
    return folder;
  }

  /** Reads a secret; empty if no file of this name exists. */
  public Optional<String> secret(String name) {
    Path file = secretFile(name);
    try {
      return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
    } catch (IOException e) {
      throw new StartRefusedException(
          "Muster cannot read %s (%s); make it readable or %s."
              .formatted(file, IoFailureText.of(e), ANOTHER),
          e);
    }
  }

  /**
   * Writes a secret to a file that only its owner can read.
   *
   * <p>After a crash the file is complete or absent.
   */
  public void keepSecret(String name, String value) {
    Path file = secretFile(name);
    try {
      PrivateFiles.write(file, value + "\n");
    } catch (IOException e) {
      throw notWritable(file, IoFailureText.of(e));
    }
  }

  /** Returns a folder in the home that only its owner can read; creates it if it is missing. */
  Path folder(String name) {
    Path path = folder.resolve(name);
    try {
      PrivateFiles.createFolder(path);
      return path;
    } catch (IOException e) {
      throw notWritable(path, IoFailureText.of(e));
    }
  }

  /** Returns the file of {@link #keepSecret}, for programs that read it themselves. */
  public Path secretFile(String name) {
    if (!SECRET_NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("name: " + name + " (expected: " + SECRET_NAME + ")");
    }
    return folder.resolve(name);
  }

  /** Releases the lock; everything that uses the home must be closed before. */
  @Override
  public void close() {
    try {
      lock.release();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Locks a home exclusively; the operating system releases the lock when the process dies. */
  private static final class HomeLock {

    /**
     * The channels whose locks this process holds.
     *
     * <p>Static, because garbage collection of a channel would close it and release its lock.
     * Checked before any channel is opened: a process loses its POSIX lock when it closes
     * <em>any</em> channel on the file.
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
}

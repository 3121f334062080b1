package dev.muster.platform.embedded;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;

import dev.muster.platform.embedded.Postmaster.Timeouts;
import dev.muster.testing.TestDatabases.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.springframework.util.FileSystemUtils;

/** Home folders for tests. They share the unpacked programs, which take seconds to unpack. */
public final class TestHomes {

  private static final Path BIN = Path.of("target", "postgres-bin").toAbsolutePath();

  private static final String PASSWORD = "database-password";

  private TestHomes() {}

  /** A database that was created, used and stopped; creating one takes seconds. */
  private static final class Used {

    static final Path HOME = make();

    private static Path make() {
      // each JVM of a run makes its own
      Path home =
          Path.of("target", "postgres-home-" + System.getProperty("test.fork", "1"))
              .toAbsolutePath();
      try {
        FileSystemUtils.deleteRecursively(home);
        try (MusterHome open = MusterHome.open(in(home))) {
          EmbeddedDatabase.start(open).close();
          return open.folder();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** A home with a database that ran before. */
  public static Path used(Path temporary) throws IOException {
    Path home = in(temporary);
    FileSystemUtils.copyRecursively(data(Used.HOME), data(home));
    try (Stream<Path> folders = Files.walk(data(home)).filter(Files::isDirectory)) {
      for (Path folder : (Iterable<Path>) folders::iterator) {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
      }
    }
    Files.copy(Used.HOME.resolve(PASSWORD), home.resolve(PASSWORD), COPY_ATTRIBUTES);
    return home;
  }

  /** The database of a server that runs in this home, in another process. */
  public static TestDatabase database(Path home) throws IOException {
    return new TestDatabase(
        "jdbc:postgresql://127.0.0.1:%s/postgres?user=muster&password=%s"
            .formatted(
                Files.readAllLines(pidFile(home)).get(3),
                Files.readString(home.resolve(PASSWORD)).strip()));
  }

  /** A home without a database. */
  static Path in(Path temporary) throws IOException {
    Path home = temporary.resolve("home");
    linkPrograms(home);
    return home;
  }

  /** Gives this home the unpacked programs of PostgreSQL. */
  public static void linkPrograms(Path home) throws IOException {
    unpack();
    Path bin = home.resolve("postgres/bin");
    try (Stream<Path> files = Files.walk(BIN)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path link = bin.resolve(BIN.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(link);
        } else {
          link(link, file);
        }
      }
    }
  }

  /**
   * One at a time, in this JVM and in the others of a run: unpacking removes what another one has
   * not finished.
   */
  private static synchronized void unpack() throws IOException {
    Path lock = Files.createDirectories(BIN).resolveSibling(BIN.getFileName() + ".lock");
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      if (held.isValid()) {
        PostgresBinaries.unpackedIn(BIN);
      }
    }
  }

  private static void link(Path link, Path file) throws IOException {
    try {
      Files.createLink(link, file);
    } catch (IOException
        | UnsupportedOperationException e) { // the temporary folder is on another disk
      Files.copy(file, link, COPY_ATTRIBUTES, NOFOLLOW_LINKS);
    }
  }

  static Postmaster postmaster(Path home, Timeouts timeout) {
    Path postgres = home.resolve("postgres");
    Path bin = PostgresBinaries.unpackedIn(postgres.resolve("bin")).bin();
    return new Postmaster(postgres, new PostgresPrograms(bin, postgres), timeout);
  }

  static Path data(Path home) {
    return home.resolve("postgres/data");
  }

  static Path pidFile(Path home) {
    return data(home).resolve("postmaster.pid");
  }

  /** The PostgreSQL server of this home. */
  public static ProcessHandle server(Path home) throws IOException {
    String pid = Files.readAllLines(pidFile(home)).getFirst();
    return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
  }

  /** False also for a zombie process. */
  public static boolean runs(ProcessHandle process) {
    return process.isAlive() && process.info().command().isPresent();
  }
}

package dev.muster.bench;

import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.testing.TestDatabases.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The embedded PostgreSQL in a folder that is deleted at the end. */
final class BenchDatabase implements AutoCloseable {

  private final Path folder;
  private final MusterHome home;
  private final EmbeddedDatabase postgres;

  private BenchDatabase(Path folder) {
    this.folder = folder;
    this.home = MusterHome.open(folder.resolve("home"));
    this.postgres = EmbeddedDatabase.start(home);
  }

  static BenchDatabase start() throws IOException {
    return new BenchDatabase(Files.createTempDirectory("muster-bench-"));
  }

  /** The url, with the credentials in it. */
  String url() {
    return "%s?user=%s&password=%s"
        .formatted(postgres.jdbcUrl(), postgres.user(), postgres.password());
  }

  TestDatabase forTestServers() {
    return new TestDatabase(url());
  }

  /** The folder for files of the run. */
  Path folder() {
    return folder;
  }

  @Override
  public void close() throws IOException {
    postgres.close();
    home.close();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}

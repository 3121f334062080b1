package dev.muster.platform.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process that opens a home and prints the id of each committed row, to be killed. */
final class WritingProcess implements AutoCloseable {

  private final Process process;

  private WritingProcess(Process process) {
    this.process = process;
  }

  public static void main(String[] arguments) throws IOException, SQLException {
    try (MusterHome home = MusterHome.open(Path.of(arguments[0]));
        EmbeddedDatabase database = EmbeddedDatabase.start(home)) {
      Sql.run(
          database,
          "CREATE TABLE IF NOT EXISTS rows (id int GENERATED ALWAYS AS IDENTITY, text text)");
      write(database);
    }
  }

  private static void write(EmbeddedDatabase database) throws SQLException {
    try (Connection connection = Sql.connect(database);
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO rows (text) VALUES ('żółw 亀') RETURNING id")) {
      while (!System.out.checkError()) { // ends if the test that reads it was killed
        try (ResultSet row = insert.executeQuery()) {
          row.next();
          System.out.println("row " + row.getInt(1));
        }
      }
    }
  }

  static WritingProcess on(Path home) throws IOException {
    return new WritingProcess(java(WritingProcess.class, home).start());
  }

  /** Starts a JVM with environment variables that disturb PostgreSQL. */
  static ProcessBuilder java(Class<?> main, Path home) {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                java,
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                home.toString()));
    builder
        .environment()
        .putAll(
            Map.of(
                "LANG", "de_DE.ISO-8859-1",
                "LC_CTYPE", "xx_XX",
                "PGDATA", "/nonexistent",
                "PGPORT", "1"));
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  /** Waits until so many rows are committed; returns their ids. */
  List<String> awaitRows(int rows) throws IOException {
    return process
        .inputReader()
        .lines()
        .filter(line -> line.startsWith("row "))
        .map(line -> line.substring(4))
        .limit(rows)
        .toList();
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}

package dev.muster.platform.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.muster.testing.Slow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

@Slow
@TestInstance(Lifecycle.PER_CLASS)
class EmbeddedDatabaseTest {

  private MusterHome home;
  private EmbeddedDatabase database;

  @BeforeAll
  void start(@TempDir Path temporary) throws IOException {
    home = MusterHome.open(TestHomes.in(temporary.resolve("it's a schöner Ort")));
    database = EmbeddedDatabase.start(home);
  }

  @AfterAll
  void stop() {
    database.close();
    home.close();
  }

  @ParameterizedTest
  @CsvSource({
    "fsync, on",
    "synchronous_commit, on",
    "full_page_writes, on",
    "max_connections, 100",
    "listen_addresses, 127.0.0.1",
    "unix_socket_directories, ''",
    "server_encoding, UTF8",
    "password_encryption, scram-sha-256",
    "shared_preload_libraries, pg_stat_statements"
  })
  void runsWith(String setting, String value) throws SQLException {
    assertThat(Sql.ask(database, "SHOW " + setting)).isEqualTo(value);
  }

  /**
   * Few hash iterations suffice for a random password, and make a login quick. PostgreSQL 18, which
   * is delivered, has checksums by default; the tests can run with an older one.
   */
  @Test
  void hashesItsPasswordOnceAndHasChecksums() throws SQLException {
    assumeThat(Integer.parseInt(Sql.ask(database, "SHOW server_version_num")))
        .isGreaterThanOrEqualTo(180_000);
    assertThat(Sql.ask(database, "SHOW data_checksums")).isEqualTo("on");
    assertThat(Sql.ask(database, "SHOW scram_iterations")).isEqualTo("1");
    assertThat(
            Sql.ask(
                database,
                "SELECT rolpassword LIKE 'SCRAM-SHA-256$1:%' FROM pg_authid WHERE rolname ="
                    + " 'muster'"))
        .isEqualTo("t");
  }

  @Test
  void overridesTheConfigurationFiles() throws SQLException {
    Sql.run(database, "ALTER SYSTEM SET fsync = off");
    Sql.run(database, "SELECT pg_reload_conf()");

    assertThat(Sql.ask(database, "SHOW fsync")).isEqualTo("on");
  }

  @Test
  void sortsByCodePointAndClassifiesLettersOfAllLanguages() throws SQLException {
    assertThat(Sql.ask(database, "SELECT lower('ŻÄΩ') || ('B' < 'a') || ('z' < 'ä')"))
        .isEqualTo("żäωtruetrue");
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "muster", "postgres"})
  void refusesConnectionsWithoutThePassword(@Nullable String guess) {
    assertThatThrownBy(() -> DriverManager.getConnection(database.jdbcUrl(), "muster", guess))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("password");
  }

  @Test
  void authenticatesEveryConnectionByPassword() throws SQLException {
    assertThat(
            Sql.ask(
                database, "SELECT string_agg(DISTINCT auth_method, ' ') FROM pg_hba_file_rules"))
        .isEqualTo("scram-sha-256");
  }

  @Test
  void keepsItsDataFromOneRunToTheNext(@TempDir Path temporary) throws Exception {
    Path folder = TestHomes.used(temporary);
    try (MusterHome same = MusterHome.open(folder)) {
      try (EmbeddedDatabase first = EmbeddedDatabase.start(same)) {
        Sql.run(first, "CREATE TABLE kept AS SELECT 'here' AS text");
      }
      assertThat(TestHomes.pidFile(folder)).doesNotExist();
      assertThat(folder.resolve("postgres/postgres.log"))
          .content()
          .contains("database system is shut down");

      try (EmbeddedDatabase second = EmbeddedDatabase.start(same)) {
        assertThat(Sql.ask(second, "SELECT text FROM kept")).isEqualTo("here");
      }
    }
  }

  @Test
  void removesTheProgramsOfEarlierVersions(@TempDir Path temporary) throws IOException {
    Path bin = TestHomes.in(temporary).resolve("postgres/bin");
    Path old = Files.createDirectories(bin.resolve("old/bin"));
    PostgresBinaries binaries = PostgresBinaries.unpackedIn(bin);

    binaries.removeOthers();

    assertThat(old.getParent()).doesNotExist();
    assertThat(binaries.bin().resolve("postgres")).isExecutable();
  }
}

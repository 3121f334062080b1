package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.embedded.TestHomes;
import dev.muster.platform.settings.StartRefusedException;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A server that cannot start says why in one sentence, exits, and leaves nothing behind. */
@Slow
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class StartRefusalTest {

  @TempDir Path folder;

  @Test
  void namesTheBusyPortAndStopsItsDatabase() throws Exception {
    Path home = TestHomes.used(folder);
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerProcess server =
            ServerProcess.start(home, Map.of("SERVER_PORT", "" + taken.getLocalPort()))) {
      assertThat(server.awaitEnd()).isEqualTo(1);
      assertThat(server.output())
          .contains("The port " + taken.getLocalPort() + " is in use; stop the program that has it")
          .doesNotContain("\tat ");
    }
    assertThat(home.resolve("postgres/postgres.log"))
        .content()
        .contains("ready to accept connections", "database system is shut down");
    assertThat(home.resolve("postgres/data/postmaster.pid")).doesNotExist();
  }

  @Test
  void refusesAHomeThatAnotherServerUses() throws Exception {
    Path home = TestHomes.used(folder);
    try (MusterHome first = MusterHome.open(home);
        EmbeddedDatabase _ = EmbeddedDatabase.start(first)) {
      TestDatabase database = TestHomes.database(home);

      assertThatThrownBy(
              () -> TestServer.startOn(database, "DATABASE_URL=", "MUSTER_HOME=" + home).close())
          .rootCause()
          .isInstanceOf(StartRefusedException.class)
          .hasMessageStartingWith("Muster is already running with the home " + home.toRealPath());
      assertThat(database.value("SELECT 'runs'")).isEqualTo("runs");
    }
  }
}

package dev.muster.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.postgres.ControlPlaneUptime.ReplicaHealthCheck;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;

/** An unhealthy replica does not count as uptime of the control plane. */
@Slow
class ReplicaHealthCheckTest {

  private static final AtomicBoolean WELL = new AtomicBoolean(true);

  static final class OneMoreSign {

    @Bean
    ReplicaHealthCheck oneMore() {
      return WELL::get;
    }
  }

  @Test
  void stopTheTicksWhileOneIsUnhealthyAndRestartTheUptime() {
    try (TestServer server =
        TestServer.startWith(
            TestDatabases.create(), List.of(OneMoreSign.class), "STALE_AFTER_S=30")) {
      ControlPlaneUptime uptime = server.bean(ControlPlaneUptime.class);
      Instant upBefore = uptime.tickAndRead().orElseThrow().upSince();

      WELL.set(false);
      Optional<Uptime> fromTheLastTick = uptime.tickAndRead();
      assertThat(fromTheLastTick).isPresent();
      Awaitility.await().until(() -> uptime.tickAndRead().isEmpty());
      Instant aliveUntil = uptime.read().aliveUntil();

      WELL.set(true);
      Awaitility.await().until(() -> uptime.tickAndRead().isPresent());
      Uptime after = uptime.read();
      assertThat(after.upSince()).isAfter(upBefore).isAfter(aliveUntil);
    } finally {
      WELL.set(true);
    }
  }

  @Test
  void areUnhealthyWithAPortThatDoesNotAnswer() throws Exception {
    try (ServerSocket wedged = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      URI health = URI.create("http://127.0.0.1:" + wedged.getLocalPort() + "/health");

      assertThat(PortHealthCheck.answers(health)).isFalse();
    }
  }

  @Test
  void areHealthyWithARunningServer() {
    Awaitility.await().until(TestServer.shared().bean(PortHealthCheck.class)::isHealthy);
  }
}

package dev.muster.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.protocol.RuntimeEvent.RuntimeStdout;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Kills the server (kill -9) while an agent posts events: accepted events are stored, in order. */
@Slow
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class RuntimeKillTest {

  private static final int ACCEPTED_BEFORE_THE_KILL = 50;
  private static final Map<String, String> SETTINGS = Map.of("ADMIN_TOKEN", TestServer.ADMIN_TOKEN);

  @TempDir Path folder;

  @Test
  void keepsEveryAcceptedBatch() throws Exception {
    Path home = folder.resolve("home");
    AtomicInteger accepted = new AtomicInteger();
    Agent agent;
    try (ServerProcess server = ServerProcess.start(home, SETTINGS).awaitReady()) {
      agent = server.client().create("killed");
      TestStream stream = new TestStream(server.client(), agent);
      CompletableFuture<Void> talking =
          CompletableFuture.runAsync(
              () -> postUntilKilled(stream, accepted), Thread::startVirtualThread);
      Awaitility.await().until(() -> accepted.get() >= ACCEPTED_BEFORE_THE_KILL);
      server.kill();
      talking.get(60, TimeUnit.SECONDS);
    }
    try (ServerProcess server = ServerProcess.start(home, SETTINGS).awaitReady()) {
      TestStream stream = new TestStream(server.client(), agent);
      String kept = TestStream.chunksOf(stream.replayAll(1000));

      StringBuilder said = new StringBuilder();
      int there = kept.split("b ", -1).length - 1;
      for (int i = 0; i < there; i++) {
        said.append(i).append("a ").append(i).append("b ");
      }
      assertThat(kept).isEqualTo(said.toString());
      // the last one may have been stored without an answer
      assertThat(there).isBetween(accepted.get(), accepted.get() + 1);
      assertThat(stream.run().path("stdout").asString()).isEqualTo(kept);
    }
  }

  private static void postUntilKilled(TestStream stream, AtomicInteger accepted) {
    try {
      for (int i = 0; ; i++) {
        int status =
            stream
                .post(
                    TestStream.envelopes(
                        new RuntimeStdout("t", i + "a "), new RuntimeStdout("t", i + "b ")))
                .status();
        assertThat(status).isEqualTo(202);
        accepted.incrementAndGet();
      }
    } catch (IllegalStateException killed) {
      // the connection broke: that request was not answered
    }
  }
}

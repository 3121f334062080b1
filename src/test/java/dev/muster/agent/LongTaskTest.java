package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** R8.3 to R8.5: tasks that take an agent that is called longer than the platform waits for it. */
@Slow
@Timeout(180)
class LongTaskTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** It waits longer for an answer than an agent of the library calls slow, but not for long. */
  private static final TestServer SERVER =
      TestServer.start(
          "AGENT_URL_ALLOW=loopback",
          "HEARTBEAT_INTERVAL_S=1",
          "A2A_DELEGATE_READ_TIMEOUT=6",
          "A2A_DELEGATE_TOTAL_BUDGET=6");

  private final TestClient platform = SERVER.client();
  private final Agent boss = platform.create("Boss");
  private final Agent clerk = platform.create("Clerk", "\"parent_id\":\"" + boss.id() + "\"");
  private final AgentClient bosss = client(boss);
  private final CountDownLatch goOn = new CountDownLatch(1);

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void isReportedWhenNobodyWaitsForTheAnswerAnyMore(boolean well) throws Exception {
    try (PushDelivery delivery = PushDelivery.builder(client(clerk)).start();
        AgentLoop loop = working(delivery, well)) {
      loop.start();
      await()
          .atMost(LIMIT)
          .until(() -> platform.read(clerk).path("status").asString().equals("online"));
      Delegation made = bosss.delegate(clerk.id().toString(), "a long one");

      await().atMost(LIMIT).until(this::nobodyWaits);
      String then = lastBeat(made);
      await().atMost(LIMIT).until(() -> !lastBeat(made).equals(then));
      assertThat(now(made).status()).isEqualTo("in_progress");
      goOn.countDown();

      await().atMost(LIMIT).until(() -> now(made).isOver());
      assertThat(now(made).status()).isEqualTo(well ? "completed" : "failed");
      assertThat(well ? now(made).result() : now(made).error())
          .isEqualTo(well ? "done at last" : "no luck");
    }
  }

  private AgentLoop working(PushDelivery delivery, boolean well) {
    return AgentLoop.builder(client(clerk))
        .registration(Registration.pushed("Clerk", delivery.url()))
        .delivery(delivery)
        .answering((message, _) -> {
          assertThat(goOn.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
          if (!well) {
            throw new IllegalStateException("no luck");
          }
          return "done at last";
        })
        .build();
  }

  /** The row of the task says so: the platform has given up, with a time-out. */
  private boolean nobodyWaits() {
    return platform
        .get("/workspaces/" + clerk.id() + "/activity?type=a2a_receive", TestServer.ADMIN_TOKEN)
        .json()
        .valueStream()
        .anyMatch(row -> row.path("error_detail").asString("").contains("imeout"));
  }

  private Delegation now(Delegation made) {
    return bosss.delegation(made.id(), Duration.ZERO);
  }

  private String lastBeat(Delegation made) {
    return now(made).raw().path("last_heartbeat").asString("");
  }

  private static AgentClient client(Agent agent) {
    return AgentServer.clientAt(SERVER.port(), agent);
  }
}

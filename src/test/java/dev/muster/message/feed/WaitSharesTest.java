package dev.muster.message.feed;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.platform.http.Owner;
import dev.muster.platform.work.LongPoll;
import dev.muster.platform.work.LongPoll.PollResult;
import dev.muster.platform.work.LongPollRegistry;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The waiting requests of one workspace are bounded; one more is refused (R6.7a). */
@Slow
@Timeout(90)
class WaitSharesTest {

  private static final int SHARE = 256;
  private static final Duration SOON = Duration.ofSeconds(20);

  @Test
  void refusesAWaitBeyondTheShareAndAcceptsThoseOfOtherWorkspaces() {
    try (TestServer server = TestServer.start()) {
      TestClient client = server.client();
      Agent lead = client.create("Lead");
      Agent agent = client.create("Greedy", "\"parent_id\":\"" + lead.id() + "\"");
      Agent peer = client.create("Peer", "\"parent_id\":\"" + lead.id() + "\"");
      String delegation = delegate(client, agent, peer);
      TestFeed feed = new TestFeed(server, agent);
      String logged = feed.log("there already");
      LongPollRegistry waits = server.bean(LongPollRegistry.class);
      AtomicBoolean over = new AtomicBoolean();
      for (int n = 1; n < SHARE; n++) {
        var _ = waits.await(waitOf(agent, over));
      }
      CompletableFuture<Answer> last = feed.poll("?type=a2a_receive&wait=60");
      await().atMost(SOON).until(() -> feed.waiting() == SHARE);

      String path = "/workspaces/" + agent.id();
      assertOneTooMany(feed.get("?type=error&wait=60"));
      assertOneTooMany(client.get(path + "/delegations/" + delegation + "?wait=60", agent.token()));
      assertOneTooMany(send(client, agent, peer, "?wait=60"));
      assertThat(new TestFeed(server, peer).rowsForAdmin("?type=a2a_receive").toString())
          .as("what is refused is not stored")
          .doesNotContain("m-1");

      assertThat(feed.get("?type=error").text()).isEqualTo("[]");
      assertThat(feed.get("?type=agent_log&wait=60").text()).contains(logged);
      assertThat(send(client, agent, peer, "").status()).isEqualTo(200);
      List<CompletableFuture<Answer>> others =
          List.of(
              new TestFeed(server, lead).poll("?type=error&wait=60"),
              feed.poll("?type=error&wait=60", ADMIN_TOKEN));
      await().atMost(SOON).until(() -> feed.waiting() == SHARE + 2);

      client.post(path + "/a2a", ADMIN_TOKEN, message("m-2"));
      assertThat(last.join().text()).contains("m-2");
      // an answered poll counts for a moment longer
      await().atMost(SOON).until(() -> feed.get("?type=error&wait=1").text(), "[]"::equals);
      over.set(true);
      waits.wake(List.of(agent.id()));
      await().atMost(SOON).until(() -> feed.waiting() == 2);
      assertThat(others).noneMatch(CompletableFuture::isDone);
    }
  }

  private static LongPoll<String> waitOf(Agent agent, AtomicBoolean over) {
    return new LongPoll<>(
        new Owner.OfWorkspace(agent.id()),
        agent.id(),
        Duration.ofHours(1),
        () -> over.get() ? new PollResult.Answer<>("over") : new PollResult.Nothing<>(0),
        () -> true,
        "in vain");
  }

  private static void assertOneTooMany(Answer answer) {
    assertRefused(answer, 429, "RATE_LIMITED");
    assertThat(answer.header("Retry-After")).isEqualTo("5");
    assertThat(answer.field("error")).contains("256");
  }

  private static String delegate(TestClient client, Agent caller, Agent callee) {
    String body = "{\"target_id\":\"" + callee.id() + "\",\"task\":\"Do it.\"}";
    return client
        .post("/workspaces/" + caller.id() + "/delegate", caller.token(), body)
        .field("delegation_id");
  }

  private static Answer send(TestClient client, Agent from, Agent to, String query) {
    String path = "/workspaces/" + to.id() + "/a2a" + query;
    return client.post(path, from.token(), message("m-1"));
  }

  private static String message(String id) {
    return """
    {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"%s",
     "parts":[{"kind":"text","text":"hi"}]}}}\
    """
        .formatted(id);
  }
}

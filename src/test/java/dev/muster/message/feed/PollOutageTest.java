package dev.muster.message.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.StatementRelay;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A poll whose statement the database never answers gets a refusal: it has stored nothing. */
class PollOutageTest {

  @Test
  void isRefusedWithARetryHint() throws Exception {
    TestDatabase database = TestDatabases.create();
    int port = URI.create(database.url().substring("jdbc:".length())).getPort();
    try (StatementRelay wire = new StatementRelay(port);
        TestServer server =
            TestServer.startOn(
                new TestDatabase(
                    database.url().replaceFirst(":" + port + "/", ":" + wire.port() + "/")))) {
      TestFeed feed = new TestFeed(server, server.client().create("Polling"));
      assertThat(feed.get("?type=a2a_receive").status()).isEqualTo(200);
      List<String> looks =
          wire.takeSent().stream().filter(sent -> sent.contains("AS asked (workspace_id")).toList();
      assertThat(looks).isNotEmpty();

      wire.stall(looks);
      CompletableFuture<Answer> poll = feed.pollOnce("?type=a2a_receive", feed.agent().token());
      await().until(() -> !wire.reached().isEmpty());
      wire.cut();

      Answer answer = poll.get();
      assertThat(answer.status()).isEqualTo(503);
      assertThat(answer.field("error"))
          .isEqualTo("the database cannot answer right now; try again in a few seconds");
      await().until(() -> feed.get("?type=a2a_receive").status() == 200);
    }
  }
}

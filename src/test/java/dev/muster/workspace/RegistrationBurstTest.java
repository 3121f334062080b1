package dev.muster.workspace;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A fleet that registers at once leaves connections to the others. */
@Slow
@Timeout(60)
class RegistrationBurstTest {

  private static final int FLEET = 40;

  /** Each owner has half of the places. */
  private static final int OWNERS = 2;

  @Test
  void registrationsDoNotTakeAllConnections() throws SQLException {
    try (TestServer server =
            TestServer.start("RATE_LIMIT=0", "spring.datasource.hikari.maximum-pool-size=20");
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Connection blocking = server.database().connect();
        Statement statement = blocking.createStatement()) {
      Agent other = server.client().createOnline("Other");
      List<String> tokens = List.of(ADMIN_TOKEN, operator(server));
      assertThat(tokens).hasSize(OWNERS);
      blocking.setAutoCommit(false);
      statement.execute("LOCK TABLE workspaces IN SHARE MODE");
      Stream<CompletableFuture<Answer>> registrations =
          IntStream.range(0, FLEET)
              .mapToObj(n -> tokens.get(n % OWNERS))
              .map(token -> CompletableFuture.supplyAsync(() -> register(server, token), threads))
              .toList()
              .stream();
      awaitAllPlacesTaken(server);

      for (int i = 0; i < FLEET; i++) {
        Answer answer = server.client().get("/workspaces/" + other.id() + "/state", other.token());
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
      }
      awaitAllPlacesTaken(server);

      blocking.rollback();
      assertThat(registrations.map(CompletableFuture::join))
          .extracting(Answer::status)
          .containsOnly(200);
    }
  }

  private static void awaitAllPlacesTaken(TestServer server) {
    await().until(() -> server.database().lockWaits() == Registration.MAX_CONCURRENT);
  }

  private static String operator(TestServer server) {
    String body = "{\"name\":\"Hands\",\"role\":\"operator\"}";
    return server.client().post("/admin/tokens", ADMIN_TOKEN, body).field("auth_token");
  }

  /** What waits too long for a place is refused, and sent again. */
  private static Answer register(TestServer server, String token) {
    return server
        .client()
        .patient()
        .post(
            "/registry/register",
            token,
            "{\"id\":\"%s\",\"agent_card\":{},\"delivery_mode\":\"poll\"}"
                .formatted(UUID.randomUUID()));
  }
}

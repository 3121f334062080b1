package dev.muster.message.feed;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may read and write a feed, and how others are refused (R1.3, R1.4, R1.5). */
class FeedAccessTest {

  private static final TestClient CLIENT = TestServer.shared().client();
  private static final Agent PARENT = CLIENT.create("Parent");
  private static final TestFeed FEED =
      new TestFeed(
          TestServer.shared(), CLIENT.create("Feed", "\"parent_id\":\"" + PARENT.id() + "\""));
  private static final Agent REMOVED = CLIENT.create("Removed");
  private static final Agent ALSO_REMOVED = CLIENT.create("Also removed");
  private static final String ROW;
  private static final String ROW_OF_REMOVED;

  static {
    ROW = FEED.receive(null, "1");
    ROW_OF_REMOVED = new TestFeed(TestServer.shared(), REMOVED).receive(null, "1");
    CLIENT.delete("/workspaces/" + REMOVED.id(), ADMIN_TOKEN);
    CLIENT.delete("/workspaces/" + ALSO_REMOVED.id(), ADMIN_TOKEN);
  }

  /** Each succeeds with the right credential and the right id. */
  static Stream<String> routes() {
    return Stream.of(
        "GET /workspaces/{id}/activity",
        "GET /workspaces/{id}/activity?type=a2a_receive",
        "GET /workspaces/{id}/activity?type=a2a_receive&wait=30",
        "GET /workspaces/{id}/activity/{row}",
        "POST /workspaces/{id}/activity {\"activity_type\":\"agent_log\"}",
        "POST /workspaces/{id}/notify {\"message\":\"m\"}",
        "POST /workspaces/{id}/activity/ack {\"acked_seq\":0}");
  }

  @ParameterizedTest
  @MethodSource("routes")
  void isForTheAgentItselfAndTheAdmin(String route) {
    assertThat(send(route, FEED.id(), FEED.agent().token()).status()).isEqualTo(200);
    assertThat(send(route, FEED.id(), ADMIN_TOKEN).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @MethodSource("routes")
  void refusesCallersWithoutAValidCredential(String route) {
    for (UUID id : List.of(FEED.id(), REMOVED.id(), UUID.randomUUID())) {
      assertRefused(send(route, id, null), 401, "UNAUTHENTICATED");
      assertRefused(send(route, id, "x".repeat(43)), 401, "UNAUTHENTICATED");
    }
  }

  @ParameterizedTest
  @MethodSource("routes")
  void refusesOtherWorkspacesAndPeers(String route) {
    assertRefused(send(route, FEED.id(), PARENT.token()), 403, "FORBIDDEN");
    assertRefused(send(route, PARENT.id(), FEED.agent().token()), 403, "FORBIDDEN");
  }

  @ParameterizedTest
  @MethodSource("routes")
  void isNotFoundForAnUnknownId(String route) {
    assertRefused(send(route, UUID.randomUUID(), ADMIN_TOKEN), 404, "WORKSPACE_NOT_FOUND");
    assertRefused(send(route, UUID.randomUUID(), PARENT.token()), 404, "WORKSPACE_NOT_FOUND");
    assertRefused(
        send(route.replace("{id}", "not-an-id"), FEED.id(), ADMIN_TOKEN), 400, "INVALID_ID");
  }

  @ParameterizedTest
  @MethodSource("routes")
  void isGoneAfterTheRemovalOfItsWorkspace(String route) {
    for (String token : List.of(REMOVED.token(), ADMIN_TOKEN, PARENT.token())) {
      Answer answer = send(route, REMOVED.id(), token);

      assertRefused(answer, 410, "WORKSPACE_REMOVED");
      assertThat(answer.field("id")).isEqualTo(REMOVED.id().toString());
      assertThat(answer.field("removed_at")).endsWith("Z");
      assertThat(answer.field("hint")).isNotBlank();
    }
  }

  @ParameterizedTest
  @MethodSource("routes")
  void isUnknownToTheAgentOfAnotherRemovedWorkspace(String route) {
    for (UUID id : List.of(FEED.id(), ALSO_REMOVED.id(), UUID.randomUUID())) {
      assertRefused(send(route, id, REMOVED.token()), 401, "UNAUTHENTICATED");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /workspaces/{id}/activity?wait=x",
        "POST /workspaces/{id}/activity {}",
        "POST /workspaces/{id}/activity [",
        "POST /workspaces/{id}/notify {}",
        "POST /workspaces/{id}/activity/ack {}"
      })
  void refusesABadRequestBeforeItChecksPermission(String route) {
    for (UUID id : List.of(FEED.id(), REMOVED.id(), UUID.randomUUID())) {
      assertRefused(send(route, id, null), 401, "UNAUTHENTICATED");
      assertRefused(send(route, id, PARENT.token()), 400, "VALIDATION_FAILED");
      assertRefused(send(route, id, ADMIN_TOKEN), 400, "VALIDATION_FAILED");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PUT /workspaces/{id}/activity {}",
        "DELETE /workspaces/{id}/activity",
        "DELETE /workspaces/{id}/activity/{row}",
        "POST /workspaces/{id}/activity/{row} {}",
        "GET /workspaces/{id}/notify"
      })
  void refusesOtherMethods(String route) {
    assertRefused(send(route, FEED.id(), ADMIN_TOKEN), 405, "METHOD_NOT_ALLOWED");
  }

  @Test
  void isUnchangedByRefusedRequests() {
    long before = FEED.newest().path("seq").asLong();

    routes()
        .forEach(route -> {
          send(route, FEED.id(), PARENT.token());
          send(route, FEED.id(), null);
          send(route, FEED.id(), REMOVED.token());
        });

    assertThat(FEED.newest().path("seq").asLong()).isEqualTo(before);
  }

  private static Answer send(String route, UUID id, @Nullable String token) {
    String row = id.equals(REMOVED.id()) ? ROW_OF_REMOVED : ROW;
    String path = path(route).replace("{id}", id.toString()).replace("{row}", row);
    return CLIENT.send(method(route), path, token, body(route));
  }

  private static String method(String route) {
    return route.split(" ", 3)[0];
  }

  private static String path(String route) {
    return route.split(" ", 3)[1];
  }

  private static @Nullable String body(String route) {
    String[] words = route.split(" ", 3);
    return words.length == 3 ? words[2] : null;
  }
}

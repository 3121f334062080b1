package dev.muster.workspace;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The delivery mode: as sent, else as stored, else by the url (R3.2). */
class DeliveryModeTest {

  private static final String GOOD = "http://127.0.0.1:9/sent";
  private static final String STORED = "http://127.0.0.1:9/stored";
  private static final String OF_THE_CARD = "http://127.0.0.1:9/card";

  private static final TestClient CLIENT = TestServer.shared().client();

  @ParameterizedTest(name = "sent {0}, url {1} => {2}, {3}")
  @CsvSource({
    "-, -, poll, -",
    "-, '', poll, -",
    "-, remote:x, poll, -",
    "-, GOOD, push, GOOD",
    "poll, -, poll, -",
    "poll, GOOD, poll, -",
    "poll, http://10.0.0.1/, poll, -",
    "poll, no url, poll, -",
    "push, -, push, -",
    "push, '', push, -",
    "push, GOOD, push, GOOD"
  })
  void isDecidedAtCreation(String sent, String url, String mode, String stored) {
    Answer answer =
        CLIENT.post(
            "/workspaces", ADMIN_TOKEN, "{\"name\":\"Mode\"" + fields(sent, url, "-") + "}");

    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    assertThat(answer.field("delivery_mode")).isEqualTo(mode);
    assertStored(UUID.fromString(answer.field("id")), mode, stored);
  }

  @ParameterizedTest(name = "stored {0}, sent {1}, url {2}, card''s url {3} => {4}, {5}")
  @CsvSource({
    // as sent
    "-,    poll, -,        -,    poll, -",
    "-,    poll, GOOD,     -,    poll, -",
    "-,    poll, GOOD,     http://10.0.0.1/, poll, -",
    "push, poll, -,        -,    poll, -",
    "push, poll, GOOD,     -,    poll, -",
    "poll, push, GOOD,     -,    push, GOOD",
    "-,    push, GOOD,     -,    push, GOOD",
    // a push registration's url: sent, else stored, else the card's
    "push, push, GOOD,     CARD, push, GOOD",
    "push, push, -,        CARD, push, STORED",
    "push, push, '',       CARD, push, STORED",
    "poll, push, -,        CARD, push, CARD",
    "-,    push, -,        CARD, push, CARD",
    "-,    push, -,        -,    400,  -",
    "-,    push, '',       -,    400,  -",
    "-,    push, remote:x, -,    400,  -",
    "poll, push, -,        -,    400,  -",
    // else as stored
    "poll, -,    GOOD,     -,    poll, -",
    "poll, -,    no url,   -,    poll, -",
    "poll, -,    -,        CARD, poll, -",
    "push, -,    GOOD,     -,    push, GOOD",
    "push, -,    -,        -,    push, STORED",
    "push, -,    '',       -,    push, STORED",
    // else by the url
    "-,    -,    -,        -,    poll, -",
    "-,    -,    '',       -,    poll, -",
    "-,    -,    remote:x, -,    poll, -",
    "-,    -,    GOOD,     -,    push, GOOD"
  })
  void isDecidedAtRegistration(
      String stored, String sent, String url, String card, String mode, String storedUrl) {
    UUID id = UUID.randomUUID();
    String token = ADMIN_TOKEN;
    if (!stored.equals("-")) {
      Agent agent =
          stored.equals("push")
              ? CLIENT.create("Mode", "\"delivery_mode\":\"push\"", "\"url\":\"" + STORED + "\"")
              : CLIENT.create("Mode", "\"delivery_mode\":\"poll\"");
      id = agent.id();
      token = agent.token();
    }

    Answer answer =
        CLIENT.post(
            "/registry/register", token, "{\"id\":\"" + id + "\"" + fields(sent, url, card) + "}");

    if (mode.equals("400")) {
      assertRefused(answer, 400);
      assertThat(answer.field("error")).contains("url");
    } else {
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
      assertThat(answer.field("delivery_mode")).isEqualTo(mode);
      assertStored(id, mode, storedUrl);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PUSH", "pull", "poll ", "push,poll", "webhook", "po\u0131l"})
  void isOneOfTwoWords(String word) {
    Agent agent = CLIENT.create("Mode");
    String field = "\"delivery_mode\":\"" + word + "\"";

    for (Answer answer :
        new Answer[] {
          CLIENT.post("/workspaces", ADMIN_TOKEN, "{\"name\":\"Mode\"," + field + "}"),
          CLIENT.patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{" + field + "}"),
          CLIENT.post(
              "/registry/register",
              agent.token(),
              "{\"id\":\"" + agent.id() + "\",\"agent_card\":{}," + field + "}")
        }) {
      assertRefused(answer, 400, "INVALID_DELIVERY_MODE");
      assertThat(answer.field("error")).contains("delivery_mode", "push", "poll");
    }
    assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo("awaiting_agent");
  }

  @Test
  void storesNothingOfARefusedRegistration() {
    UUID id = UUID.randomUUID();

    Answer answer =
        CLIENT.post(
            "/registry/register",
            null,
            "{\"id\":\"" + id + "\",\"agent_card\":{},\"delivery_mode\":\"push\"}");

    assertRefused(answer, 400);
    assertRefused(CLIENT.get("/workspaces/" + id, ADMIN_TOKEN), 404, "WORKSPACE_NOT_FOUND");
  }

  private static String fields(String mode, String url, String cardUrl) {
    String card = cardUrl.equals("-") ? "{}" : "{\"url\":\"" + url(cardUrl) + "\"}";
    return ",\"agent_card\":"
        + card
        + (mode.equals("-") ? "" : ",\"delivery_mode\":\"" + mode + "\"")
        + (url.equals("-") ? "" : ",\"url\":\"" + url(url) + "\"");
  }

  private static String url(String word) {
    return switch (word) {
      case "GOOD" -> GOOD;
      case "STORED" -> STORED;
      case "CARD" -> OF_THE_CARD;
      case "-" -> "";
      default -> word;
    };
  }

  private static void assertStored(UUID id, String mode, String url) {
    JsonNode workspace = CLIENT.get("/workspaces/" + id, ADMIN_TOKEN).json();
    assertThat(workspace.path("delivery_mode").asString()).isEqualTo(mode);
    assertThat(workspace.path("url").asString("missing")).isEqualTo(url(url));
  }
}

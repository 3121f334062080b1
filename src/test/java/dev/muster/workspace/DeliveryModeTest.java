package dev.muster.workspace;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The delivery mode: as sent, else as said before, else by the url (R3.2). */
class DeliveryModeTest {

  private static final String GOOD = "http://127.0.0.1:9/sent";
  private static final String STORED = "http://127.0.0.1:9/stored";
  private static final String OF_THE_CARD = "http://127.0.0.1:9/card";

  private static final String UNUSED = "the url is not used, since delivery_mode is \"poll\"";

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  @ParameterizedTest(name = "sent {0}, url {1}, card''s url {2} => {3}, {4}")
  @CsvSource({
    "-, -, -, poll, -",
    "-, '', -, poll, -",
    "-, remote:x, -, poll, -",
    "-, GOOD, -, push, GOOD",
    "-, GOOD, CARD, push, GOOD",
    "-, -, CARD, push, CARD",
    "-, '', CARD, push, CARD",
    "-, remote:x, CARD, poll, -",
    "poll, -, -, poll, -",
    "poll, GOOD, -, poll, -",
    "poll, http://10.0.0.1/, -, poll, -",
    "poll, no url, -, poll, -",
    "poll, -, CARD, poll, -",
    "poll, -, http://10.0.0.1/, poll, -",
    "push, -, -, push, -",
    "push, '', -, push, -",
    "push, GOOD, -, push, GOOD",
    "push, -, CARD, push, CARD"
  })
  void isDecidedAtCreation(String sent, String url, String card, String mode, String stored) {
    Answer answer =
        CLIENT.post(
            "/workspaces", ADMIN_TOKEN, "{\"name\":\"Mode\"" + fields(sent, url, card) + "}");

    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    assertThat(answer.field("delivery_mode")).isEqualTo(mode);
    assertStored(UUID.fromString(answer.field("id")), mode, stored);
    assertWarned(answer, sent, url);
  }

  /**
   * A workspace that is stored as {@code push} or {@code poll} was created with this mode. One that
   * {@code has url} or is {@code named} was created without a mode.
   */
  @ParameterizedTest(name = "stored {0}, sent {1}, url {2}, card''s url {3} => {4}, {5}")
  @CsvSource({
    // as sent
    "-,    poll, -,        -,    poll, -",
    "-,    poll, GOOD,     -,    poll, -",
    "-,    poll, GOOD,     http://10.0.0.1/, poll, -",
    "push, poll, -,        -,    poll, -",
    "push, poll, GOOD,     -,    poll, -",
    "named, poll, GOOD,    CARD, poll, -",
    "has url, poll, -,     -,    poll, -",
    "poll, push, GOOD,     -,    push, GOOD",
    "-,    push, GOOD,     -,    push, GOOD",
    "named, push, GOOD,    -,    push, GOOD",
    // a push registration's url: sent, else stored, else the card's
    "push, push, GOOD,     CARD, push, GOOD",
    "push, push, -,        CARD, push, STORED",
    "push, push, '',       CARD, push, STORED",
    "poll, push, -,        CARD, push, CARD",
    "named, push, -,       CARD, push, CARD",
    "-,    push, -,        CARD, push, CARD",
    "-,    push, -,        -,    400,  -",
    "-,    push, '',       -,    400,  -",
    "-,    push, remote:x, -,    400,  -",
    "poll, push, -,        -,    400,  -",
    "named, push, -,       -,    400,  -",
    // else as said before
    "poll, -,    GOOD,     -,    poll, -",
    "poll, -,    no url,   -,    poll, -",
    "poll, -,    -,        CARD, poll, -",
    "push, -,    GOOD,     -,    push, GOOD",
    "push, -,    -,        -,    push, STORED",
    "push, -,    '',       -,    push, STORED",
    "push, -,    remote:x, -,    400,  -",
    // else by the url
    "-,    -,    -,        -,    poll, -",
    "-,    -,    '',       -,    poll, -",
    "-,    -,    remote:x, -,    poll, -",
    "-,    -,    GOOD,     -,    push, GOOD",
    "-,    -,    -,        CARD, push, CARD",
    "named, -,   -,        -,    poll, -",
    "named, -,   remote:x, CARD, poll, -",
    "named, -,   GOOD,     -,    push, GOOD",
    "named, -,   GOOD,     CARD, push, GOOD",
    "named, -,   -,        CARD, push, CARD",
    "has url, -, -,        CARD, push, STORED",
    "has url, -, GOOD,     -,    push, GOOD",
    "has url, -, remote:x, -,    poll, -"
  })
  void isDecidedAtRegistration(
      String stored, String sent, String url, String card, String mode, String storedUrl) {
    UUID id = UUID.randomUUID();
    String token = ADMIN_TOKEN;
    if (!stored.equals("-")) {
      Agent agent = stored(stored);
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
      assertWarned(answer, sent.equals("-") ? stored : sent, url);
    }
  }

  @ParameterizedTest(name = "stored {0}, sent {1}, url {2} => {3}, {4}")
  @CsvSource({
    // as sent
    "poll,    poll, -,        poll, -",
    "poll,    poll, GOOD,     poll, -",
    "push,    poll, -,        poll, -",
    "push,    poll, GOOD,     poll, -",
    "named,   poll, GOOD,     poll, -",
    "poll,    push, GOOD,     push, GOOD",
    "poll,    push, -,        push, -",
    "carded,  push, -,        push, CARD",
    "carded,  push, '',       push, -",
    "carded,  push, GOOD,     push, GOOD",
    "push,    push, -,        push, STORED",
    "push,    push, '',       push, -",
    // else as said before
    "push,    -,    GOOD,     push, GOOD",
    "push,    -,    '',       push, -",
    "push,    -,    null,     push, -",
    "poll,    -,    '',       poll, -",
    "poll,    -,    null,     poll, -",
    "poll,    -,    remote:x, poll, -",
    "poll,    -,    GOOD,     400,  -",
    "poll,    -,    no url,   400,  -",
    "poll,    -,    http://10.0.0.1/, 400, -",
    // else by the url
    "named,   -,    GOOD,     push, GOOD",
    "named,   -,    '',       poll, -",
    "named,   -,    null,     poll, -",
    "named,   -,    remote:x, poll, -",
    "has url, -,    GOOD,     push, GOOD",
    "has url, -,    '',       poll, -",
    "has url, -,    null,     poll, -",
    "has url, -,    remote:x, poll, -"
  })
  void isDecidedAtAPatch(String stored, String sent, String url, String mode, String storedUrl) {
    Agent agent = stored(stored);
    JsonNode before = CLIENT.read(agent);
    String fields =
        "\"role\":\"patched\""
            + (sent.equals("-") ? "" : ",\"delivery_mode\":\"" + sent + "\"")
            + (url.equals("-") ? "" : ",\"url\":" + (url.equals("null") ? url : quoted(url)));

    Answer answer = CLIENT.patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{" + fields + "}");

    if (mode.equals("400")) {
      assertRefused(answer, 400, "VALIDATION_FAILED");
      assertThat(answer.field("error")).contains("url", "poll", "push");
      assertThat(CLIENT.read(agent)).isEqualTo(before);
    } else {
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
      assertStored(agent.id(), mode, storedUrl);
      assertWarned(answer, sent, url);
    }
  }

  /** What follows each way to say the mode is a registration with a url and without a mode. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "at creation",
        "at a registration",
        "at a patch",
        "at a patch that changes nothing"
      })
  void isSaidUntilAnotherIsSaid(String when) {
    String poll = "\"delivery_mode\":\"poll\"";
    Agent agent =
        switch (when) {
          case "at creation" -> CLIENT.create("Says", poll);
          case "at a registration" -> {
            Agent named = CLIENT.create("Says");
            assertThat(register(named, "{}", poll).status()).isEqualTo(200);
            yield named;
          }
          case "at a patch" -> patched(stored("has url"), poll);
          default -> patched(CLIENT.create("Says"), poll);
        };

    Answer polls = register(agent, "{\"url\":\"" + OF_THE_CARD + "\"}", "\"url\":\"" + GOOD + "\"");
    Answer again = register(agent, "{}", "\"url\":\"" + GOOD + "\"");

    assertThat(polls.field("delivery_mode")).isEqualTo("poll");
    assertThat(again.field("delivery_mode")).isEqualTo("poll");
    patched(agent, "\"delivery_mode\":\"push\"");
    assertThat(register(agent, "{}", "\"url\":\"" + GOOD + "\"").field("delivery_mode"))
        .isEqualTo("push");
    assertThat(register(agent, "{}").field("delivery_mode")).isEqualTo("push");
    assertStored(agent.id(), "push", "GOOD");
  }

  /** A mode that follows the url follows it each time. */
  @Test
  void followsTheUrlOfEachRegistration() {
    Agent agent = CLIENT.create("Follows");

    assertThat(register(agent, "{}").field("delivery_mode")).isEqualTo("poll");
    assertThat(register(agent, "{}", "\"url\":\"" + STORED + "\"").field("delivery_mode"))
        .isEqualTo("push");
    assertThat(register(agent, "{}").field("delivery_mode")).isEqualTo("push");
    assertThat(register(agent, "{}", "\"url\":\"" + GOOD + "\"").field("delivery_mode"))
        .isEqualTo("push");
    assertStored(agent.id(), "push", "GOOD");
    assertThat(register(agent, "{}", "\"url\":\"remote:x\"").field("delivery_mode"))
        .isEqualTo("poll");
    assertStored(agent.id(), "poll", "-");
  }

  @Test
  void warnsOfAnUnusedUrlBesidesMisspeltNames() {
    Answer answer =
        CLIENT.post(
            "/workspaces",
            ADMIN_TOKEN,
            "{\"name\":\"Warned\",\"rol\":1,\"tierr\":1,\"parnt_id\":1,\"runtim\":1,"
                + "\"delivery_mode\":\"poll\",\"url\":\"http://10.0.0.1/\"}");

    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.headers().allValues("X-Muster-Warning"))
        .hasSize(4)
        .endsWith(UNUSED)
        .filteredOn(warning -> warning.startsWith("unknown field"))
        .hasSize(3);
  }

  /** An operator says the mode while the agent registers with a url. */
  @Test
  void isNotThatOfBeforeTheLock() throws Exception {
    Agent agent = CLIENT.create("Raced");
    CompletableFuture<Answer> registered;
    try (Connection operator = SERVER.database().connect();
        Statement statement = operator.createStatement()) {
      operator.setAutoCommit(false);
      statement.execute(
          "SELECT FROM workspace_heartbeats WHERE workspace_id = '%s' FOR UPDATE"
              .formatted(agent.id()));
      registered =
          CompletableFuture.supplyAsync(
              () -> register(agent, "{}", "\"url\":\"" + GOOD + "\""), Thread::startVirtualThread);
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> SERVER.database().lockWaits("FROM workspace_heartbeats") > 0);
      statement.execute(
          "UPDATE workspaces SET mode_said = true WHERE id = '%s'".formatted(agent.id()));
      operator.commit();
    }

    assertThat(registered.join().field("delivery_mode")).isEqualTo("poll");
    assertStored(agent.id(), "poll", "-");
  }

  /** A console shows the mode that the events say. */
  @Test
  void isAnEventWhenItChangesAtARegistrationOfAnOnlineAgent() {
    Agent agent = CLIENT.createOnline("Changes");

    assertThat(register(agent, "{}", "\"url\":\"" + GOOD + "\"").status()).isEqualTo(200);
    assertThat(register(agent, "{}", "\"url\":\"" + GOOD + "\"").status()).isEqualTo(200);

    assertThat(
            SERVER
                .database()
                .value(
                    "SELECT string_agg(payload::text, ' ') FROM events WHERE event_type ="
                        + " 'WORKSPACE_UPDATED' AND workspace_id = '%s'".formatted(agent.id())))
        .isEqualTo("{\"url\":\"" + GOOD + "\",\"delivery_mode\":\"push\"}");
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

  private static Agent stored(String how) {
    return switch (how) {
      case "push" ->
          CLIENT.create("Mode", "\"delivery_mode\":\"push\"", "\"url\":\"" + STORED + "\"");
      case "poll" -> CLIENT.create("Mode", "\"delivery_mode\":\"poll\"");
      case "carded" ->
          CLIENT.create(
              "Mode",
              "\"delivery_mode\":\"poll\"",
              "\"agent_card\":{\"url\":\"" + OF_THE_CARD + "\"}");
      case "named" -> CLIENT.create("Mode");
      case "has url" -> CLIENT.create("Mode", "\"url\":\"" + STORED + "\"");
      default -> throw new IllegalArgumentException(how);
    };
  }

  private static Agent patched(Agent agent, String field) {
    assertThat(CLIENT.patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{" + field + "}").status())
        .isEqualTo(200);
    return agent;
  }

  private static Answer register(Agent agent, String card, String... fields) {
    StringBuilder body =
        new StringBuilder("{\"id\":\"%s\",\"agent_card\":%s".formatted(agent.id(), card));
    for (String field : fields) {
      body.append(',').append(field);
    }
    return CLIENT.post("/registry/register", agent.token(), body.append('}').toString());
  }

  /** A url that a said mode does not use is told; one that leads nowhere is none. */
  private static void assertWarned(Answer answer, String saidMode, String url) {
    boolean isUnused =
        saidMode.equals("poll") && !Set.of("-", "", "remote:x", "null").contains(url);
    assertThat(answer.headers().allValues("X-Muster-Warning"))
        .isEqualTo(isUnused ? List.of(UNUSED) : List.of());
  }

  private static String fields(String mode, String url, String cardUrl) {
    String card = cardUrl.equals("-") ? "{}" : "{\"url\":\"" + url(cardUrl) + "\"}";
    return ",\"agent_card\":"
        + card
        + (mode.equals("-") ? "" : ",\"delivery_mode\":\"" + mode + "\"")
        + (url.equals("-") ? "" : ",\"url\":" + quoted(url));
  }

  private static String quoted(String url) {
    return "\"" + url(url) + "\"";
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

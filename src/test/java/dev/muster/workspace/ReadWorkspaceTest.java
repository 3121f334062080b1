package dev.muster.workspace;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The representation of a workspace, alone and in the list (section 2, R0.8). */
class ReadWorkspaceTest {

  private static final List<String> TIMES =
      List.of("last_heartbeat_at", "status_since", "created_at", "updated_at");

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  @Test
  void hasTheFieldsOfTheContract() {
    Agent agent =
        CLIENT.create(
            "Reviewer",
            "\"role\":\"code review\"",
            "\"tier\":2",
            "\"agent_card\":{\"name\":\"Reviewer\"}");
    CLIENT.heartbeat(
        agent,
        "\"runtime_state\":\"wedged\"",
        "\"sample_error\":\"SDK init timeout — restart workspace\"",
        "\"active_tasks\":1",
        "\"current_task\":\"reviewing #42\"",
        "\"uptime_seconds\":640");

    String example =
        """
        {"id":"%s","name":"Reviewer","role":"code review","tier":2,"parent_id":null,
         "runtime":"external","url":"","delivery_mode":"poll","agent_card":{"name":"Reviewer"},
         "status":"degraded","degraded_reason":"runtime_wedged","last_sample_error":"SDK init timeout — restart workspace",
         "hint":"the agent's runtime reports that it is wedged; restart it","last_error_rate":0.0,"active_tasks":1,
         "max_concurrent_tasks":1,"current_task":"reviewing #42","uptime_seconds":640,"stalled":false,"stalled_since":null,
         "x":0.0,"y":0.0,"collapsed":false}
        """
            .formatted(agent.id());

    ObjectNode read = (ObjectNode) CLIENT.read(agent);

    assertThat(read.propertyNames()).containsAll(TIMES);
    TIMES.forEach(time -> assertThat(read.path(time).asString()).endsWith("Z"));
    read.remove(TIMES);
    assertThat(read).isEqualTo(JsonMapper.shared().readTree(example));
  }

  @Test
  void hasNullsOnlyWhereTheContractHasThem() {
    ObjectNode read = (ObjectNode) CLIENT.read(CLIENT.create("Nulls"));

    List<String> nulls =
        read.properties().stream().filter(f -> f.getValue().isNull()).map(f -> f.getKey()).toList();
    assertThat(nulls)
        .containsExactlyInAnyOrder(
            "role",
            "parent_id",
            "agent_card",
            "degraded_reason",
            "hint",
            "stalled_since",
            "last_heartbeat_at");
    for (String text : List.of("url", "last_sample_error", "current_task")) {
      assertThat(read.path(text).asString("missing")).as(text).isEmpty();
    }
  }

  @Test
  void isTheSameRecordAloneAndInTheList() {
    Agent parent = CLIENT.create("Same");
    Agent child = CLIENT.createOnline("Child", "\"parent_id\":\"" + parent.id() + "\"");

    JsonNode list = CLIENT.get("/workspaces?parent_id=" + parent.id(), ADMIN_TOKEN).json();

    assertThat(list).hasSize(1);
    assertThat(list.path(0)).isEqualTo(CLIENT.read(child));
    assertThat(CLIENT.get("/workspaces/" + child.id(), child.token()).json())
        .isEqualTo(CLIENT.read(child));
  }

  @Test
  void showsTheCurrentTaskOnlyToItselfAndTheAdmin() {
    Agent parent = CLIENT.create("Parent");
    Agent child = CLIENT.create("Child", "\"parent_id\":\"" + parent.id() + "\"");
    CLIENT.heartbeat(child, "\"current_task\":\"a secret\"");
    String path = "/workspaces/" + child.id();

    assertThat(CLIENT.get(path, child.token()).field("current_task")).isEqualTo("a secret");
    assertThat(CLIENT.get(path, ADMIN_TOKEN).field("current_task")).isEqualTo("a secret");
    Answer peer = CLIENT.get(path, parent.token());

    assertThat(peer.status()).isEqualTo(200);
    assertThat(peer.json().has("current_task")).isFalse();
    assertThat(peer.text()).doesNotContain("a secret");
    ObjectNode rest = (ObjectNode) CLIENT.read(child);
    rest.remove("current_task");
    assertThat(peer.json()).isEqualTo(rest);
  }

  @Test
  void showsThatItWasRemoved() {
    Agent agent = CLIENT.create("Removed");
    CLIENT.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);
    String path = "/workspaces/" + agent.id();

    Answer gone = CLIENT.get(path, ADMIN_TOKEN);
    assertRefused(gone, 410, "WORKSPACE_REMOVED");
    assertThat(gone.field("id")).isEqualTo(agent.id().toString());
    assertThat(gone.field("removed_at")).isNotEmpty();
    assertThat(gone.field("hint")).isNotEmpty();
    assertRefused(
        CLIENT.get(path + "?include_removed=false", ADMIN_TOKEN), 410, "WORKSPACE_REMOVED");
    Answer included = CLIENT.get(path + "?include_removed=true", ADMIN_TOKEN);
    assertThat(included.status()).isEqualTo(200);
    assertThat(included.field("status")).isEqualTo("removed");
    assertThat(included.json().propertyNames())
        .containsAll(CLIENT.read(CLIENT.create("Alive")).propertyNames());
    assertRefused(
        CLIENT.get("/workspaces/" + UUID.randomUUID() + "?include_removed=true", ADMIN_TOKEN),
        404,
        "WORKSPACE_NOT_FOUND");
  }

  @Test
  void listsOldestFirstWithFilters() {
    Agent parent = CLIENT.create("List");
    String under = "\"parent_id\":\"" + parent.id() + "\"";
    Agent first = CLIENT.create("Alpha", under, "\"role\":\"Reads 50%_ of it\"");
    Agent second = CLIENT.createOnline("Beta", under);
    Agent removed = CLIENT.create("Gamma", under);
    Agent third = CLIENT.create("Delta ALPHA", under);
    CLIENT.delete("/workspaces/" + removed.id(), ADMIN_TOKEN);

    assertThat(list(parent, "")).containsExactly(first.id(), second.id(), third.id());
    assertThat(list(parent, "&status=online")).containsExactly(second.id());
    assertThat(list(parent, "&status=awaiting_agent")).containsExactly(first.id(), third.id());
    assertThat(list(parent, "&status=removed")).isEmpty();
    assertThat(list(parent, "&q=alpha")).containsExactly(first.id(), third.id());
    assertThat(list(parent, "&q=reads")).containsExactly(first.id());
    assertThat(list(parent, "&q=50%25_")).containsExactly(first.id());
    assertThat(list(parent, "&q=5%25")).isEmpty();
    assertThat(list(parent, "&q=alpha&status=online")).isEmpty();
    assertThat(CLIENT.get("/workspaces?parent_id=" + UUID.randomUUID(), ADMIN_TOKEN).text())
        .isEqualTo("[]");
    assertThat(
            CLIENT
                .get("/workspaces", ADMIN_TOKEN)
                .json()
                .valueStream()
                .map(one -> one.path("id").asString()))
        .contains(parent.id().toString())
        .doesNotContain(removed.id().toString())
        .containsSubsequence(first.id().toString(), second.id().toString(), third.id().toString());
  }

  @Test
  void listsEachOnceWhenManyWereCreatedAtOneTime() {
    Agent parent = CLIENT.create("Made at one time");
    List<UUID> made =
        IntStream.range(0, 5)
            .mapToObj(i -> CLIENT.create("Child", "\"parent_id\":\"" + parent.id() + "\"").id())
            .toList();
    SERVER
        .database()
        .execute(
            "UPDATE workspaces SET created_at = now() WHERE parent_id = '" + parent.id() + "'");

    List<UUID> listed = new ArrayList<>();
    String page = "/workspaces?limit=2&parent_id=" + parent.id();
    while (!page.isEmpty()) {
      Answer answer = CLIENT.get(page, ADMIN_TOKEN);
      answer.json().forEach(one -> listed.add(UUID.fromString(one.path("id").asString())));
      page = answer.next();
    }

    assertThat(listed).containsExactlyInAnyOrderElementsOf(made);
  }

  @ParameterizedTest
  @ValueSource(strings = {"%00", "a%00b", "%5C", "%25", "'", "%F0%9F%98%80", "%E2%80%8B"})
  void searchesForAnyText(String query) {
    Agent parent = CLIENT.create("Search");

    for (String path : List.of("/workspaces?q=", "/registry/" + parent.id() + "/peers?q=")) {
      Answer answer = CLIENT.get(path + query, ADMIN_TOKEN);
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
      assertThat(answer.json().isArray()).isTrue();
    }
  }

  @Test
  void ignoresCaseInSearchesBeyondAscii() {
    Agent parent = CLIENT.create("Search");
    Agent child = CLIENT.create("PRÜFERIN ÉLODIE", "\"parent_id\":\"" + parent.id() + "\"");

    assertThat(list(parent, "&q=" + encoded("prüferin"))).containsExactly(child.id());
    assertThat(list(parent, "&q=" + encoded("élo"))).containsExactly(child.id());
  }

  static Stream<Arguments> cards() {
    return Stream.of(
            "{ \"b\" : 1.10,\"a\":[ 1 ,2e0]\t, \"name\":\"\\u00e4\\/\\u0041\" }",
            "{\"name\":\"a\\u0000b\",\"lone\":\"\\ud83d\",\"turned\":\"\\ude00\\ud83d\"}",
            "{\"a\":1,\"a\":2,\"\":null,\"big\":123456789012345678901234567890.000}",
            "{\"emoji\":\"\uD83D\uDE00\",\"text\":\"\u00e4\u200b\u2028\"}",
            "{\"url\":5,\"name\":[\"not a name\"],\"nested\":{\"url\":\"http://10.0.0.1/\"}}",
            "{}")
        .map(Arguments::of);
  }

  @ParameterizedTest
  @MethodSource("cards")
  void returnsACardByteForByte(String card) {
    Agent created = CLIENT.create("Card", "\"agent_card\":" + card);
    assertShowsCard(created, card);

    Agent patched = CLIENT.create("Card");
    CLIENT.patch("/workspaces/" + patched.id(), ADMIN_TOKEN, "{\"agent_card\":" + card + "}");
    assertShowsCard(patched, card);

    Agent updated = CLIENT.create("Card");
    CLIENT.post(
        "/registry/update-card",
        updated.token(),
        "{\"agent_card\":%s,\"workspace_id\":\"%s\"}".formatted(card, updated.id()));
    assertShowsCard(updated, card);
    assertThat(
            CLIENT.get("/events/" + updated.id() + "?type=AGENT_CARD_UPDATED", ADMIN_TOKEN).text())
        .contains(card);

    Agent beaten = CLIENT.create("Card");
    CLIENT.heartbeat(beaten, "\"agent_card\":" + card);
    assertShowsCard(beaten, card);

    Agent registered = CLIENT.create("Card");
    CLIENT.post(
        "/registry/register",
        registered.token(),
        "{\"id\":\"%s\", \"agent_card\" : %s}".formatted(registered.id(), card));
    assertShowsCard(registered, card);
  }

  @Test
  void replacesCharactersInTextsThatTheDatabaseRefuses() {
    String odd = "a\\u0000b\\ud83dc\\ude00\\ud83d\\ude00";
    String mended = "a\uFFFDb\uFFFDc\uFFFD\uD83D\uDE00";
    Agent agent =
        CLIENT.create("x\\ud83d", "\"role\":\"" + odd + "\"", "\"runtime\":\"" + odd + "\"");
    CLIENT.heartbeat(
        agent,
        "\"current_task\":\"" + odd + "\"",
        "\"sample_error\":\"" + odd + "\"",
        "\"runtime_state\":\"" + odd + "\"",
        "\"delegations\":[\"" + odd + "\"]");

    JsonNode workspace = CLIENT.read(agent);
    assertThat(workspace.path("name").asString()).isEqualTo("x\uFFFD");
    for (String field : List.of("role", "runtime", "current_task", "last_sample_error")) {
      assertThat(workspace.path(field).asString()).as(field).isEqualTo(mended);
    }
    assertThat(
            CLIENT
                .patch(
                    "/workspaces/" + agent.id(), agent.token(), "{\"role\":\"" + odd + odd + "\"}")
                .status())
        .isEqualTo(200);
    assertThat(CLIENT.read(agent).path("role").asString()).isEqualTo(mended + mended);
    UUID registered = UUID.randomUUID();
    Answer answer =
        CLIENT.post(
            "/registry/register",
            null,
            "{\"id\":\"%s\",\"agent_card\":{\"name\":\"%s\"},\"url\":\"\"}"
                .formatted(registered, odd));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  @Test
  void truncatesTextsOfAHeartbeatOnCodePointsAndClampsItsNumbers() {
    Agent agent = CLIENT.create("Beat");
    Answer answer =
        CLIENT.heartbeat(
            agent,
            "\"current_task\":\"x" + "\uD83D\uDE00".repeat(1000) + "\"",
            "\"sample_error\":\"y" + "\uD83D\uDE00".repeat(4096) + "\"",
            "\"error_rate\":7",
            "\"active_tasks\":99999999999999999999",
            "\"uptime_seconds\":-5");

    assertThat(answer.field("workspace_status")).isEqualTo("degraded");
    JsonNode workspace = CLIENT.read(agent);
    assertThat(workspace.path("current_task").asString())
        .isEqualTo("x" + "\uD83D\uDE00".repeat(999));
    assertThat(workspace.path("last_sample_error").asString())
        .isEqualTo("y" + "\uD83D\uDE00".repeat(4095));
    assertThat(workspace.path("last_error_rate").asDouble()).isEqualTo(1.0);
    assertThat(workspace.path("active_tasks").asInt()).isEqualTo(Integer.MAX_VALUE);
    assertThat(workspace.path("uptime_seconds").asInt(-1)).isZero();
    CLIENT.heartbeat(
        agent, "\"error_rate\":-0.1", "\"active_tasks\":-1", "\"uptime_seconds\":1e300");
    JsonNode after = CLIENT.read(agent);
    assertThat(after.path("last_error_rate").asDouble(-1)).isZero();
    assertThat(after.path("active_tasks").asInt(-1)).isZero();
    assertThat(after.path("uptime_seconds").asLong()).isPositive();
  }

  private static void assertShowsCard(Agent agent, String card) {
    String shown = "\"agent_card\":" + card + ",";
    assertThat(CLIENT.get("/workspaces/" + agent.id(), ADMIN_TOKEN).text()).contains(shown);
  }

  private static List<UUID> list(Agent parent, String query) {
    return CLIENT
        .get("/workspaces?parent_id=" + parent.id() + query, ADMIN_TOKEN)
        .json()
        .valueStream()
        .map(one -> UUID.fromString(one.path("id").asString()))
        .collect(toList());
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}

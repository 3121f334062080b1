package dev.muster.platform.http;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.RawHttp;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Misspelt names are ignored, and the answer lists them (section 12). */
class NameWarningsTest {

  private static final String HEADER = "X-Muster-Warning";

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  @Test
  void areIgnored() {
    Agent parent = CLIENT.create("warned parent");
    Answer created =
        CLIENT.post(
            "/workspaces",
            ADMIN_TOKEN,
            "{\"name\":\"warned\",\"parnt_id\":\"" + parent.id() + "\"}");
    assertThat(created.status()).isEqualTo(201);
    assertThat(created.header(HEADER))
        .isEqualTo("unknown field \"parnt_id\", did you mean \"parent_id\"?");
    String path = "/workspaces/" + created.field("id");
    assertThat(CLIENT.get(path, ADMIN_TOKEN).json().path("parent_id").isNull()).isTrue();

    Answer heartbeat = CLIENT.heartbeat(parent, "\"erorr_rate\":0.9");
    assertThat(heartbeat.status()).isEqualTo(200);
    assertThat(warnings(heartbeat)).containsExactly(warning("field", "erorr_rate", "error_rate"));
    Answer other = CLIENT.heartbeat(parent);
    assertThat(warnings(other)).isEmpty();
    assertThat(other.json()).isEqualTo(heartbeat.json());

    assertThat(warnings(CLIENT.send("HEAD", "/workspaces?limti=3", ADMIN_TOKEN, null)))
        .containsExactly(warning("query parameter", "limti", "limit"));
    Answer poll =
        CLIENT.get(
            "/workspaces/" + parent.id() + "/activity?type=a2a_receive&wait=1&limti=3",
            parent.token());
    assertThat(poll.status()).isEqualTo(200);
    assertThat(warnings(poll)).containsExactly(warning("query parameter", "limti", "limit"));
  }

  @Test
  void areReportedForEachEventOfAnArray() {
    Agent agent = CLIENT.create("warned sandbox");
    String event =
        "{\"type\":\"RuntimeStdout\",\"%s\":1,\"payload\":{\"task_name\":\"a\",\"chunk\":\"b\",\"chunck\":1}}";
    Answer answer =
        CLIENT.post(
            "/workspaces/" + agent.id() + "/runtime-events",
            agent.token(),
            "[" + event.formatted("x_y_z_1") + "," + event.formatted("paylod") + "]");

    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    assertThat(warnings(answer)).containsExactly(warning("field", "paylod", "payload"));
  }

  @Test
  void areNotSearchedInCardsMessagesAndMetadata() {
    Agent agent = CLIENT.create("unwarned", "\"agent_card\":{\"naem\":\"x\",\"nme\":\"x\"}");
    String card = "\"agent_card\":{\"naem\":\"x\",\"agent_crad\":{},\"error_rte\":1}";
    String one = "/workspaces/" + agent.id();
    String message =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":{\"mesage\":1,\"parms\":1,"
            + "\"message\":{\"messageId\":\"warned-1\",\"role\":\"user\",\"metdata\":{},\"mehtod\":1,"
            + "\"parts\":[{\"kind\":\"text\",\"text\":\"x\",\"parms\":1}],\"metadata\":{\"parms\":1}}}}";
    for (Answer answer :
        List.of(
            CLIENT.heartbeat(
                agent,
                card,
                "\"runtime_metadata\":{\"capabilties\":{},\"error_rte\":1,\"naem\":1}"),
            CLIENT.post(
                "/registry/update-card",
                agent.token(),
                "{\"workspace_id\":\"" + agent.id() + "\"," + card + "}"),
            CLIENT.patch(one, ADMIN_TOKEN, "{" + card + "}"),
            CLIENT.post(one + "/a2a", ADMIN_TOKEN, message),
            CLIENT.post(
                one + "/activity",
                agent.token(),
                "{\"activity_type\":\"agent_log\",\"metadata\":{\"sumary\":1},\"request_body\":{\"sumary\":1}}"))) {
      assertThat(answer.status()).as(answer.text()).isBetween(200, 202);
      assertThat(warnings(answer)).as(answer.text()).isEmpty();
    }
  }

  @Test
  void areShownInPrintableAscii() {
    assertShown("parent\u0001id", "parent?id");
    assertShown("parent\r\nid", "parent??id");
    assertShown("p\u00e4rent_id", "p?rent_id");
    assertShown("parent\ud83d\ude00id", "parent?id");
    assertShown("parent_\ud83did", "parent_?id");
    assertShown("par\"ent_id", "par\"ent_id");
  }

  private static void assertShown(String name, String shown) {
    List<String> expected = List.of(warning("query parameter", shown, "parent_id"));
    String query = URLEncoder.encode(name, StandardCharsets.UTF_8);
    if (!name.contains("\ud83d") || name.contains("\ude00")) { // no other fits into a query
      assertThat(warnings(CLIENT.get("/workspaces?" + query + "=1", ADMIN_TOKEN)))
          .isEqualTo(expected);
    }
    String escaped = name.chars().mapToObj(c -> "\\u%04x".formatted(c)).reduce("", String::concat);
    Answer answer = CLIENT.post("/workspaces", ADMIN_TOKEN, "{\"" + escaped + "\":1}");
    assertThat(warnings(answer)).containsExactly(warning("field", shown, "parent_id"));
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 65, 10_000})
  void areNotMatchedWhenTheyAreLong(int length) {
    assertThat(warnings(CLIENT.post("/workspaces", ADMIN_TOKEN, body("n".repeat(length)))))
        .isEmpty();
  }

  @Test
  void areThreeAtMostAtAnyDepth() {
    Answer answer =
        CLIENT.post(
            "/workspaces",
            ADMIN_TOKEN,
            "{\"nmae\":1,\"roel\":1,\"parentId\":1,\"agentCard\":1,\"runtme\":1}");
    assertThat(warnings(answer)).hasSize(3).doesNotHaveDuplicates();

    Answer both =
        CLIENT.post(
            "/workspaces/" + UUID.randomUUID() + "/a2a?wiat=1&wiat=2&wait=0&watt=1",
            ADMIN_TOKEN,
            "{\"metod\":1,\"parms\":1}");
    assertThat(warnings(both))
        .hasSize(3)
        .contains(
            warning("query parameter", "wiat", "wait"), warning("query parameter", "watt", "wait"));
  }

  /** A body can have a million names. */
  @Test
  void areNotSearchedAmongCountlessNames() {
    String others =
        IntStream.range(0, 20_000)
            .mapToObj(n -> "\"%08d\":1".formatted(n))
            .reduce((some, more) -> some + "," + more)
            .orElseThrow()
            .substring(0, 200_000);
    String object = others.substring(0, others.lastIndexOf(','));
    Answer answer =
        CLIENT.post(
            "/workspaces", ADMIN_TOKEN, "{\"parnt_id\":1," + object + ",\"name\":\"many names\"}");

    assertThat(answer.status()).isEqualTo(201);
    assertThat(warnings(answer)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"%zz=1", "=", "&&", "%", "%F0%9F", "+", "limit"})
  void doNotRefuseAQuery(String query) {
    for (String path : List.of("/workspaces/" + UUID.randomUUID() + "/state", "/admin/audit")) {
      Answer answer =
          RawHttp.send(
              SERVER.port(),
              "GET " + path + "?" + query,
              List.of("Authorization: Bearer " + ADMIN_TOKEN));
      assertThat(answer.status()).as(answer.text()).isIn(200, 400, 404);
      assertThat(warnings(answer)).isEmpty();
    }
  }

  @Test
  void areReportedOnlyToCallersWithPermission() {
    assertThat(warnings(CLIENT.get("/workspaces?limti=1", null))).isEmpty();
    assertThat(warnings(CLIENT.post("/workspaces", "x".repeat(43), body("nmae")))).isEmpty();
    assertThat(warnings(CLIENT.post("/registry/heartbeat", null, body("wrkspace_id")))).isEmpty();
  }

  private static String body(String name) {
    return "{\"" + name + "\":1}";
  }

  private static String warning(String kind, String name, String meant) {
    return "unknown %s \"%s\", did you mean \"%s\"?".formatted(kind, name, meant);
  }

  private static List<String> warnings(Answer answer) {
    return answer.headers().allValues(HEADER);
  }
}

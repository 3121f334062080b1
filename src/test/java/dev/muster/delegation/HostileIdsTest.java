package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Ids of delegations that are hard to encode: each accepted id can be read again. */
class HostileIdsTest {

  private static final Delegations LEDGER = new Delegations(TestServer.shared());
  private static final Agent TEAM = LEDGER.team();
  private static final Agent CALLER = LEDGER.polling(TEAM);
  private static final Agent CALLEE = LEDGER.polling(TEAM);

  private static Answer post(String route, String body) {
    return LEDGER.client().post("/workspaces/" + CALLER.id() + route, CALLER.token(), body);
  }

  private static String json(Object value) {
    return JsonMapper.shared().writeValueAsString(value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "%00",
        "a%00b",
        "a%2Fb",
        "a/b",
        "%25",
        "%25%32%46",
        "%ff",
        "%C3",
        "%ED%A0%80",
        "%2e%2e",
        "..",
        "%0a",
        "%7F",
        "~1",
        "%F0%9F%A6%8A",
        "a;b=c",
        "a%3Bb",
        "a%5Cb",
        "%22",
        "%EF%BF%BD",
        "%E2%80%AE",
        "+",
        "a%20b",
        "null",
        "record",
        "-1"
      })
  void refusesUnknownIdsInAPath(String id) {
    String path = "/workspaces/" + CALLEE.id() + "/delegations/" + id;
    Delegations.assertRefused(
        LEDGER.raw("GET", path + "?wait=0", CALLEE.token(), ""), "read " + id);
    Delegations.assertRefused(
        LEDGER.raw("POST", path + "/update", CALLEE.token(), "{\"status\":\"completed\"}"),
        "update");
    Delegations.assertRefused(
        LEDGER.raw("POST", path + "/heartbeat", CALLEE.token(), ""), "heartbeat " + id);
    Delegations.assertRefused(
        LEDGER.raw("POST", "/admin/delegations/" + id + "/retry", ADMIN_TOKEN, ""), "retry");
    Delegations.assertRefused(
        LEDGER.raw("POST", "/admin/delegations/" + id + "/fail", ADMIN_TOKEN, "{}"), "fail");
  }

  @Test
  void refusesLongIdsInAPath() {
    for (int length : new int[] {129, 4000}) {
      String path = "/workspaces/" + CALLEE.id() + "/delegations/" + "a".repeat(length);
      Delegations.assertRefused(LEDGER.raw("GET", path, CALLEE.token(), ""), "an id of " + length);
      Delegations.assertRefused(
          LEDGER.raw("POST", path + "/heartbeat", CALLEE.token(), ""), "an id of " + length);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a b",
        "ü",
        "a?b",
        "a#b",
        "a;b",
        ";",
        "...",
        "~1",
        "x~1",
        "a:result",
        "a+b",
        "a&b=c",
        "\"",
        "'",
        "{}",
        " a",
        "a ",
        "\u202Ea",
        "\uD83E\uDD8A",
        "\uFEFF"
      })
  void findsEachAcceptedDelegationByItsId(String id) {
    assertThat(record(json(id)).status()).isEqualTo(202);
    String inPath = URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
    String path = "/workspaces/" + CALLEE.id() + "/delegations/" + inPath;
    Answer read = LEDGER.raw("GET", path, CALLEE.token(), "");
    assertThat(read.status()).as(id + ": " + read.text()).isEqualTo(200);
    assertThat(read.field("delegation_id")).isEqualTo(id);
    assertThat(LEDGER.raw("POST", path + "/heartbeat", CALLEE.token(), "").status()).isEqualTo(200);
    assertThat(
            LEDGER
                .raw("POST", path + "/update", CALLEE.token(), "{\"status\":\"completed\"}")
                .status())
        .isEqualTo(200);
  }

  /** Web servers refuse paths with these, or rewrite them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a%b",
        "a%2Fb",
        "a%00b",
        "a\\\\b",
        ".",
        "..",
        "a\\u0000b",
        "a\\uD800b",
        "a\\nb",
        "a\\tb",
        "a/b",
        "/",
        "\\u0085",
        "\\ufffd",
        "record",
        "",
        " "
      })
  void refusesIdsThatNoPathCanContain(String inJson) {
    Delegations.assertRefused(record("\"" + inJson + "\""), inJson);
  }

  private static Answer record(String id) {
    return post(
        "/delegations/record",
        "{\"target_id\":\"%s\",\"task\":\"x\",\"delegation_id\":%s}".formatted(CALLEE.id(), id));
  }

  @Test
  void acceptsIdsOf128CharactersAndNoMore() {
    for (String character : List.of("a", "ü", "\uD83E\uDD8A")) {
      String longest = character.repeat(128);
      String body = "{\"target_id\":\"%s\",\"task\":\"x\",\"delegation_id\":\"%s\"}";
      assertThat(post("/delegations/record", body.formatted(CALLEE.id(), longest)).status())
          .isEqualTo(202);
      Delegations.assertRefused(
          post("/delegations/record", body.formatted(CALLEE.id(), longest + character)), "129");
    }
  }
}

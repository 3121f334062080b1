package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Malformed delegations are refused with a readable text or stored, and affect no other caller. */
@Slow
class LedgerHostileTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final Delegations LEDGER = new Delegations(SERVER);
  private static final Agent TEAM = LEDGER.team();
  private static final Agent CALLER = LEDGER.polling(TEAM);
  private static final Agent CALLEE = LEDGER.polling(TEAM);

  private static Answer post(String route, String body) {
    return LEDGER.client().post("/workspaces/" + CALLER.id() + route, CALLER.token(), body);
  }

  private static String dispatched() {
    String id = LEDGER.delegate(CALLER, CALLEE, "Do it.");
    LEDGER.await(CALLER, id, "dispatched");
    return id;
  }

  /** A delegation that no refused request may change. */
  private static final String UNMOVED = dispatched();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "target_id | 7",
        "target_id | {}",
        "target_id | 'x'",
        "target_id | '%'",
        "task | 7",
        "task | ['a']",
        "task | null",
        "task | ' '",
        "task | ''",
        "idempotency_key | 7",
        "idempotency_key | {}",
        "deadline_s | '60'",
        "deadline_s | true",
        "deadline_s | NaN",
        "deadline_s | 1e400",
        "deadline_s | -1e400",
        "deadline_s | []",
      })
  void refusesDelegationsWithAWrongType(String field, String value) {
    String before = count();
    String rest =
        switch (field) {
          case "target_id" -> ",\"task\":\"x\"";
          case "task" -> ",\"target_id\":\"" + CALLEE.id() + "\"";
          default -> ",\"task\":\"x\",\"target_id\":\"" + CALLEE.id() + "\"";
        };

    Answer answer =
        post("/delegate", "{\"" + field + "\":" + value.replace('\'', '"') + rest + "}");

    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    Delegations.assertRefused(answer, field);
    assertThat(count()).isEqualTo(before);
  }

  private static String count() {
    return SERVER
        .database()
        .value("SELECT count(*) FROM delegations WHERE caller_id = '" + CALLER.id() + "'");
  }

  @ParameterizedTest
  @CsvSource({
    "-1e3, 1",
    "1e3, 1000",
    "604800.0, 604800",
    "99999999999999999999, 604800",
    "-99999999999999999999, 1",
    "1e300, 604800",
    "null, 21600"
  })
  void clampsDeadlines(String asked, int given) {
    String id = LEDGER.delegate(CALLER, CALLEE, "x", "\"deadline_s\":" + asked);

    assertThat(LEDGER.row(id, "deadline_s")).isEqualTo(Integer.toString(given));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"status\":\"completed\",\"response_preview\":7}",
        "{\"status\":\"completed\",\"response_preview\":{}}",
        "{\"status\":\"failed\",\"error\":7}",
        "{\"status\":\"failed\",\"error\":[]}",
        "{\"status\":\"failed\",\"error_kind\":{}}",
        "{\"status\":[\"completed\"]}",
        "{\"status\":null}",
        "{\"status\":\"completed\"",
        "\"completed\"",
        "completed"
      })
  void isUnchangedByAWrongType(String body) {
    String id = UNMOVED;

    Delegations.assertRefused(LEDGER.update(CALLEE, id, body), body);
    assertThat(LEDGER.read(CALLER, id).path("status").asString()).isEqualTo("dispatched");
  }

  @Test
  void refusesBodiesThatAreTooDeepOrTooLarge() {
    String id = UNMOVED;
    String deep = "[".repeat(50_000) + "]".repeat(50_000);
    String target = "{\"target_id\":\"" + CALLEE.id() + "\",\"task\":";

    Delegations.assertRefused(post("/delegate", target + deep + "}"), "a deep task");
    Delegations.assertRefused(
        post("/delegate", target + "\"x\",\"more\":" + deep + "}"), "a deep unknown field");
    Delegations.assertRefused(
        LEDGER.update(CALLEE, id, "{\"status\":\"completed\",\"result\":" + deep + "}"), "result");
    Answer large = post("/delegate", target + "\"" + "x".repeat(256 * 1024) + "\"}");
    assertThat(large.status()).isEqualTo(413);
    assertThat(large.json().path("max_bytes").asInt()).isEqualTo(256 * 1024);
    assertThat(LEDGER.read(CALLER, id).path("status").asString()).isEqualTo("dispatched");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a\\u0000b",
        "a\\ud800b",
        "\\udc00",
        "\uD83E\uDD8A\u202E",
        "\\u001b[31m",
        "</script>",
        "\\uffff",
        "e\\u0301"
      })
  void storesTasksAndResultsOfAnyCharacters(String text) {
    String kept = JsonMapper.shared().readTree("\"" + text + "\"").asString();
    kept = kept.replaceAll("[\\x{d800}-\\x{dfff}\\x{0}]", "\uFFFD");
    String key = "\"idempotency_key\":\"" + text.replace("\\", "\\\\") + text + "\"";
    String id = LEDGER.delegate(CALLER, CALLEE, text, key);
    LEDGER.await(CALLER, id, "dispatched");

    assertThat(
            LEDGER
                .update(CALLEE, id, "{\"status\":\"completed\",\"result\":\"" + text + "\"}")
                .status())
        .isEqualTo(200);

    JsonNode read = LEDGER.read(CALLER, id);
    assertThat(read.path("task").asString()).isEqualTo(kept);
    assertThat(read.path("result").asString()).isEqualTo(kept);
    assertThat(LEDGER.tryToDelegate(CALLER, CALLEE.id(), "x", key).field("delegation_id"))
        .isEqualTo(id);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit=x",
        "limit=1.5",
        "limit=%00",
        "cursor=x",
        "cursor=%00",
        "cursor=AAAA",
        "cursor=%F0%9F%A6%8A",
        "status=%00",
        "status=Queued",
        "direction=%00",
        "direction=both",
        "limit=9&cursor=-"
      })
  void refusesMalformedListParameters(String query) {
    Delegations.assertRefused(
        LEDGER.raw(
            "GET", "/workspaces/" + CALLER.id() + "/delegations?" + query, CALLER.token(), ""),
        query);
    if (!query.startsWith("direction")) {
      Delegations.assertRefused(
          LEDGER.raw("GET", "/admin/delegations?" + query, ADMIN_TOKEN, ""), query);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"x", "-1", "60.1", "NaN", "Infinity", "1e400", "%00", "1e", "--1", "1,5", "0x"})
  void refusesMalformedWaits(String wait) {
    String id = UNMOVED;

    Delegations.assertRefused(
        LEDGER.raw(
            "GET",
            "/workspaces/" + CALLER.id() + "/delegations/" + id + "?wait=" + wait,
            CALLER.token(),
            ""),
        wait);
  }
}

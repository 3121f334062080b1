package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Messages and heartbeats with malformed or foreign delegation ids. */
@Slow
class HostileDelegationMessagesTest {

  private static final Delegations LEDGER = new Delegations(TestServer.shared());

  private final Agent team = LEDGER.team();
  private final Agent caller = LEDGER.polling(team);
  private final Agent callee = LEDGER.polling(team);

  private String dispatched() {
    String id = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, id, "dispatched");
    return id;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"a\\u0000b\"",
        "\"\\ud800\"",
        "\"\"",
        "\" \"",
        "7",
        "{}",
        "[\"a\"]",
        "null",
        "true",
        "\"a/b\"",
        "\"~1\"",
        "\"x~0\"",
        "\"x~99999999999\"",
        "\"'; --\""
      })
  void storesAReplyToAMalformedIdAsAnOrdinaryMessage(String named) {
    for (String field : new String[] {"delegation_id", "reply_to"}) {
      Answer answer =
          LEDGER.send(callee, caller, "to " + field, "hi", "{\"" + field + "\":" + named + "}");

      assertThat(answer.status()).as(field + " " + named + ": " + answer.text()).isEqualTo(200);
    }
    assertThat(LEDGER.inbox(caller).size()).isEqualTo(2);
  }

  @Test
  void storesAReplyToAVeryLongIdAsAnOrdinaryMessage() {
    String named = "{\"delegation_id\":\"" + "a".repeat(100_000) + "\"}";

    assertThat(LEDGER.send(callee, caller, "m", "hi", named).status()).isEqualTo(200);
    assertThat(LEDGER.inbox(caller).at("/0/data/text").asString()).isEqualTo("hi");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[\"a\\u0000b\"]",
        "[\"\\ud800\"]",
        "[\"\"]",
        "[\"'; DROP TABLE delegations\"]",
        "[]",
        "null",
        "[\"x\",\"x\",\"x\"]"
      })
  void acceptsHeartbeatsWithAnyDelegationIds(String delegations) {
    Answer answer = LEDGER.client().heartbeat(callee, "\"delegations\":" + delegations);

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"7", "\"x\"", "{}", "[7]", "[null]", "[[\"x\"]]"})
  void refusesDelegationIdsThatAreNotTexts(String delegations) {
    Answer answer = LEDGER.client().heartbeat(callee, "\"delegations\":" + delegations);

    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.field("error")).contains("delegations");
  }

  @Test
  void findsItsOwnDelegationAmongAThousandIds() {
    String id = dispatched();
    String delegations =
        IntStream.range(0, 999)
            .mapToObj(n -> "\"" + "x".repeat(40) + n + "\"")
            .collect(Collectors.joining(",", "[", ",\"" + id + "\",\"" + id + "\"]"));

    assertThat(LEDGER.client().heartbeat(callee, "\"delegations\":" + delegations).status())
        .isEqualTo(200);
    assertThat(LEDGER.read(caller, id).path("status").asString()).isEqualTo("in_progress");
  }

  @Test
  void doesNotMatchATruncatedId() {
    String id = "y".repeat(128);
    Answer recorded =
        LEDGER
            .client()
            .post(
                "/workspaces/" + caller.id() + "/delegations/record",
                caller.token(),
                "{\"target_id\":\"%s\",\"task\":\"x\",\"delegation_id\":\"%s\"}"
                    .formatted(callee.id(), id));
    assertThat(recorded.status()).isEqualTo(202);

    LEDGER.client().heartbeat(callee, "\"delegations\":[\"" + id + "z\"]");
    LEDGER.send(callee, caller, "m", "Done.", "{\"delegation_id\":\"" + id + "z\"}");

    JsonNode read = LEDGER.read(caller, id);
    assertThat(read.path("status").asString()).isEqualTo("dispatched");
    assertThat(read.path("last_heartbeat").isNull()).isTrue();
  }

  @Test
  void endsOneDelegationByOneReply() {
    String one = dispatched();
    String other = dispatched();
    LEDGER.send(callee, caller, "r", "Done.", "{\"delegation_id\":\"" + one + "\"}");

    LEDGER.send(callee, caller, "r", "Done.", "{\"delegation_id\":\"" + other + "\"}");

    assertThat(LEDGER.read(caller, one).path("status").asString()).isEqualTo("completed");
    assertThat(LEDGER.read(caller, other).path("status").asString()).isEqualTo("dispatched");
    assertThat(LEDGER.inbox(caller).size()).isEqualTo(1);
    LEDGER.send(callee, caller, "r2", "Done too.", "{\"delegation_id\":\"" + other + "\"}");
    assertThat(LEDGER.read(caller, other).path("result").asString()).isEqualTo("Done too.");
  }

  @Test
  void isNotEndedByARefusedReply() {
    String id = dispatched();
    LEDGER.send(callee, caller, "r", "one thing", "{}");

    Answer reused =
        LEDGER.send(callee, caller, "r", "another", "{\"delegation_id\":\"" + id + "\"}");

    assertThat(reused.status()).isEqualTo(409);
    assertThat(LEDGER.read(caller, id).path("status").asString()).isEqualTo("dispatched");
    assertThat(LEDGER.events(caller, id)).doesNotContain("DELEGATION_COMPLETE");
  }

  @Test
  void storesAResultOfTheMaximumSize() {
    String id = dispatched();
    String frame = "{\"status\":\"completed\",\"result\":\"\"}";
    // characters that take twice the space in JSON
    String result = "\\n".repeat((256 * 1024 - frame.length()) / 2);
    assertThat(LEDGER.update(callee, id, frame.replace("\"\"}", "\"" + result + "x\"}")).status())
        .isEqualTo(413);

    assertThat(LEDGER.update(callee, id, frame.replace("\"\"}", "\"" + result + "\"}")).status())
        .isEqualTo(200);

    String kept = result.replace("\\n", "\n");
    assertThat(LEDGER.read(caller, id).path("result").asString()).isEqualTo(kept);
    JsonNode listed = LEDGER.inbox(caller).path(0);
    assertThat(listed.at("/data/text").asString()).isEqualTo(kept);
    Answer whole =
        LEDGER
            .client()
            .get(
                "/workspaces/" + caller.id() + "/activity/" + listed.path("id").asString(),
                ADMIN_TOKEN);
    assertThat(whole.json().at("/response_body/text").asString()).isEqualTo(kept);
  }
}

package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The row of a reply names the delegation that it ended, whatever the reply named (R8.7). */
@Slow
@Timeout(60)
class ReplyRowTest {

  private static final Delegations LEDGER = new Delegations(TestServer.shared());

  private final Agent team = LEDGER.team();
  private final Agent callee = LEDGER.polling(team);

  private String dispatched(Agent caller) {
    String id = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, id, "dispatched");
    return id;
  }

  private Answer reply(Agent caller, String metadata, String id) {
    return LEDGER.send(callee, caller, "re", "Done.", metadata.replace("ID", id));
  }

  private static JsonNode rowOf(Agent caller, String messageId) {
    return LEDGER
        .inbox(caller)
        .valueStream()
        .filter(row -> row.at("/data/message_id").asString("").equals(messageId))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "poll, {\"reply_to\":\"ID\"}",
        "poll, {\"delegation_id\":\"ID\"}",
        "poll, {\"delegation_id\":\"ID~1\"}",
        "push, {\"reply_to\":\"ID\"}"
      })
  void namesTheDelegation(String mode, String metadata) {
    Agent caller =
        mode.equals("poll") ? LEDGER.polling(team) : LEDGER.called(team, "http://127.0.0.1:9/");
    String id = dispatched(caller);
    try (TestSocket canvas = TestSocket.open(LEDGER.client(), "/ws", ADMIN_TOKEN)) {

      Answer answer = reply(caller, metadata, id);

      assertThat(answer.status()).as(answer.text()).isIn(200, 202);
      assertThat(LEDGER.read(caller, id).path("status").asString()).isEqualTo("completed");
      JsonNode row = rowOf(caller, "re");
      assertThat(row.at("/data/delegation_id").asString("")).isEqualTo(id);
      JsonNode whole =
          LEDGER
              .client()
              .get(
                  "/workspaces/" + caller.id() + "/activity/" + row.path("id").asString(),
                  caller.token())
              .json();
      assertThat(whole.at("/data/delegation_id").asString("")).isEqualTo(id);
      JsonNode live =
          canvas.await(frame ->
              frame.at("/payload/id").asString("").equals(row.path("id").asString())
                  && frame.path("event").asString().equals("ACTIVITY_LOGGED"));
      assertThat(live.at("/payload/delegation_id").asString("")).isEqualTo(id);
    }
  }

  @Test
  void namesNoDelegationInAReplyAfterItsEnd() {
    Agent caller = LEDGER.polling(team);
    String id = dispatched(caller);
    LEDGER.update(callee, id, "{\"status\":\"completed\",\"result\":\"r\"}");

    reply(caller, "{\"reply_to\":\"ID\"}", id);

    assertThat(rowOf(caller, "re").at("/data/delegation_id").isNull()).isTrue();
  }
}

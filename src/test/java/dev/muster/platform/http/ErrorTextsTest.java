package dev.muster.platform.http;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Refusals;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The text of a refusal says what was wrong, what was expected and what to do next (R0.2). */
class ErrorTextsTest {

  private static final TestClient CLIENT = TestServer.shared().client();
  private static final Agent AGENT = CLIENT.create("Texts");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST /workspaces/W/delegate | {'target_id':'T'} | task is missing or empty (expected: a"
            + " text that is not empty)",
        "POST /workspaces/W/delegations/record | {'target_id':'T','task':'x'} | delegation_id is"
            + " missing or empty (expected: a text that is not empty)",
        "POST /workspaces | {'name':''} | name is missing or empty (expected: a text of 1 to 255"
            + " characters)",
        "POST /workspaces | [] | the body is not a JSON object (expected: one, in { and })",
        "GET /workspaces/W/a2a/queue/x | '' | \"x\" is not an id (expected: a UUID)",
        "POST /admin/delegations/d-none/retry | '' | no delegation d-none is known here, or no"
            + " longer",
        "POST /admin/delegations/d-none/fail | {} | no delegation d-none is known here, or no"
            + " longer",
        "GET /workspaces?status=x | '' | status: not usable (expected one of: awaiting_agent,"
            + " online, degraded, offline, paused, failed, removed, provisioning, hibernating,"
            + " hibernated)",
        "GET /workspaces/W?include_removed=x | '' | include_removed: not usable (expected: true or"
            + " false)",
        "GET /workspaces?limit=5.0 | '' | limit: not a whole number of up to 40 digits (expected:"
            + " 1..1000)",
        "GET /workspaces/W/activity?since_secs=1.5 | '' | since_secs: not a whole number of up to"
            + " 40 digits (expected: seconds, 1..2592000)",
        "GET /events?after=99999999999999999999 | '' | after: not a seq (expected: a whole number,"
            + " such as the seq of an event)",
        "GET /workspaces/W/delegations/d?wait=61 | '' | wait: not usable (expected: seconds,"
            + " 0..60)",
        "POST /registry/heartbeat | {'workspace_id':'T','error_rate':1e999} | error_rate: 1e999"
            + " (expected: a finite number)",
        "POST /registry/heartbeat | {'workspace_id':'T','active_tasks':-1e999} | active_tasks:"
            + " -1e999 (expected: a finite whole number)",
        "POST /registry/heartbeat | {'workspace_id':'T','error_rate':NaN} | the body is not valid"
            + " JSON: Non-standard token 'NaN' (expected: JSON as RFC 8259 defines it) (line 1,"
            + " column 72)",
        "POST /registry/heartbeat | {'workspace_id':'T','delegations':['d',1e999]} |"
            + " delegations[1]: 1e999 (expected: a text)",
        "POST /registry/heartbeat |"
            + " {'workspace_id':'T','runtime_metadata':{'capabilities':{'status_mgmt':1}}} |"
            + " runtime_metadata.capabilities.status_mgmt: 1 (expected: true or false)",
        "PATCH /workspaces/W | {'x':1e400} | x: 1e400 (expected: a finite number)",
        "PATCH /workspaces/W | {'y':'far'} | y: \"far\" (expected: a number)",
        "POST /workspaces | {'name':'n','canvas':{'x':'a'}} | canvas.x: \"a\" (expected: a number)",
        "POST /workspaces | {'name':'n','canvas':{'y':1e400}} | canvas.y: 1e400 (expected: a finite"
            + " number)",
        "POST /workspaces/W/notify | {} | message is required (expected: a text that is not empty)",
        "POST /workspaces/W/notify | {'message':'m','attachments':[{},1e999]} | attachments[1]:"
            + " 1e999 (expected: a JSON object)",
        "POST /workspaces/W/notify |"
            + " {'message':'m','attachments':[{'uri':'u','name':'n','size':1e999}]} |"
            + " attachments[0].size: 1e999 (expected: a finite whole number)",
        "PUT /workspaces/W | '' | PUT is not allowed here; the header Allow names what is"
      })
  void namesWhatWasExpected(String request, String body, String text) {
    assertThat(send(request, body, ADMIN_TOKEN).field("error")).isEqualTo(text);
  }

  /** The flags of queries are described as {@code true}, {@code false} or empty. */
  @ParameterizedTest
  @CsvSource({
    "GET, '', include_removed",
    "GET, /runtime-events, include_removed",
    "GET, /runtime-runs, include_removed",
    "POST, /pause, cascade",
    "POST, /resume, cascade",
    "DELETE, '', confirm"
  })
  void acceptsOnlyTrueFalseAndEmptyFlags(String method, String path, String flag) {
    for (String other : List.of("1", "0", "on", "off", "yes", "TRUE", "False", "%20true", "x")) {
      Answer answer = sendFlag(method, path, flag + "=" + other);
      Refusals.assertRefused(answer, 400, "VALIDATION_FAILED");
      assertThat(answer.field("error")).isEqualTo(flag + ": not usable (expected: true or false)");
    }
    String secondOne = "&" + flag + "=on";
    for (String good : List.of("", "false", "false" + secondOne, "true")) {
      Answer answer = sendFlag(method, path, flag + "=" + good);
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    }
  }

  private static Answer sendFlag(String method, String path, String query) {
    String workspace = "/workspaces/" + CLIENT.create("Flags").id();
    if (path.equals("/resume")) {
      CLIENT.post(workspace + "/pause", ADMIN_TOKEN, "");
    }
    return CLIENT.send(method, workspace + path + "?" + query, ADMIN_TOKEN, null);
  }

  @Test
  void namesTheExpectedToken() {
    String other = CLIENT.create("Texts").token();

    assertThat(send("POST /workspaces/W/pause", "", other).field("error"))
        .isEqualTo(
            "this token belongs to another workspace (expected: that workspace's own, the admin's"
                + " or an operator's)");
    assertThat(send("GET /workspaces/W/activity", "", other).field("error"))
        .isEqualTo(
            "this token belongs to another workspace (expected: that workspace's own, the admin's,"
                + " an operator's or a viewer's)");
    assertThat(send("PATCH /workspaces/W", "{'tier':1,'x':1}", AGENT.token()).field("error"))
        .isEqualTo("only the admin and operators may change tier; nothing was changed");
    assertThat(send("POST /registry/register", "{'id':'T','agent_card':{}}", other).field("error"))
        .isEqualTo(
            "this token belongs to another workspace (expected: that workspace's own, the admin's"
                + " or an operator's)");
  }

  /** The text shows only the beginning of a long value. */
  @Test
  void showsTheBeginningOfALongValue() {
    String sent = "{'x':" + "1".repeat(400) + "e400}";

    assertThat(send("PATCH /workspaces/W", sent, ADMIN_TOKEN).field("error"))
        .isEqualTo("x: " + "1".repeat(60) + " (expected: a finite number)");
  }

  private static Answer send(String request, String body, String token) {
    String[] methodAndPath = request.replace("W", AGENT.id().toString()).split(" ", 2);
    String sent = body.replace('\'', '"').replace("\"T\"", "\"" + AGENT.id() + "\"");
    return CLIENT.send(methodAndPath[0], methodAndPath[1], token, sent.isEmpty() ? null : sent);
  }
}

package dev.muster.platform.http;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/**
 * One request of each kind that queries the database and must be answered within 5 s (R1.8). A kind
 * is a line: whose token, method, path and body, with names in braces for objects that are created
 * before it is sent.
 */
final class RequestKinds {

  static final String WHOLE_LIST = "admin GET /workspaces";

  /** Its token is in the cache, since the body is not read during a look-up. */
  static final String LARGE_MESSAGE =
      "known POST /workspaces/{poller}/a2a " + message("{uuid}", "{large}", "");

  /** A duplicate of an answered message; it commits only its audit row. */
  static final String REPEAT =
      "admin POST /workspaces/{called}/a2a " + message("{sent}", "again", "");

  static final List<String> ALL =
      List.of(
          "agent POST /registry/heartbeat {'workspace_id':'{id}'}",
          "agent POST /registry/heartbeat {'workspace_id':'{id}','delegations':['{delegation}']}",
          "agent POST /registry/register {'id':'{id}','agent_card':{'name':'a'}}",
          "agent POST /registry/update-card {'workspace_id':'{id}','agent_card':{'name':'b'}}",
          "agent POST /registry/check-access {'caller_id':'{id}','target_id':'{poller}'}",
          "agent GET /registry/discover/{called}",
          "agent GET /registry/{id}/peers",
          "agent POST /workspaces/{id}/activity {'activity_type':'agent_log','summary':'s'}",
          "agent POST /workspaces/{id}/activity/ack {'acked_seq':{seq}}",
          "agent POST /workspaces/{id}/notify {'message':'m'}",
          "agent GET /workspaces/{id}/activity",
          "agent GET /workspaces/{id}/activity?type=a2a_receive&wait=1",
          "agent GET /workspaces/{id}/activity?since_id={row}",
          "agent GET /workspaces/{id}/activity/{row}",
          "agent GET /workspaces/{id}/chat-history",
          "agent GET /workspaces/{id}/state",
          "agent POST /workspaces/{poller}/a2a " + message("{uuid}", "short", ""),
          LARGE_MESSAGE,
          "agent POST /workspaces/{called}/a2a " + message("{uuid}", "short", ""),
          "agent POST /workspaces/{away}/a2a " + message("{uuid}", "short", ""),
          REPEAT,
          "agent POST /workspaces/{poller}/a2a "
              + message("{uuid}", "short", ",'metadata':{'reply_to':'{asked}'}"),
          "admin GET /workspaces/{away}/a2a/queue/{queued}",
          "admin POST /admin/a2a-queue/{queued}/retry",
          "admin POST /admin/a2a-queue/{queued}/expire",
          "admin POST /admin/a2a-queue/{queued}/cancel",
          "admin GET /admin/a2a-queue",
          "admin GET /admin/a2a-queue/summary",
          "agent POST /workspaces/{id}/delegate {'target_id':'{poller}','task':'t'}",
          "agent POST /workspaces/{id}/delegate {'target_id':'{called}','task':'t'}",
          "agent POST /workspaces/{id}/delegations/record"
              + " {'target_id':'{poller}','task':'t','delegation_id':'{uuid}'}",
          "agent POST /workspaces/{id}/delegations/{delegation}/heartbeat",
          "agent POST /workspaces/{id}/delegations/{delegation}/update"
              + " {'status':'completed','result':'r'}",
          "agent GET /workspaces/{id}/delegations",
          "agent GET /workspaces/{id}/delegations/{delegation}",
          "admin GET /admin/delegations",
          "admin GET /admin/delegations/stats",
          "admin POST /admin/delegations/{delegation}/retry",
          "admin POST /admin/delegations/{delegation}/fail {'reason':'r'}",
          "agent GET /workspaces/{id}/runtime-runs",
          "agent GET /workspaces/{id}/runtime-events",
          "admin GET /events",
          "admin GET /events/{id}",
          "admin GET /metrics",
          "admin GET /canvas/viewport",
          "admin PUT /canvas/viewport {'x':1,'y':2,'zoom':1}",
          WHOLE_LIST,
          "agent GET /workspaces/{id}",
          "agent PATCH /workspaces/{id} {'name':'b'}",
          "agent GET /workspaces/{called}/.well-known/agent-card.json",
          "agent GET /workspaces/{id}/tokens",
          "agent POST /workspaces/{id}/tokens",
          "admin GET /admin/tokens",
          "admin POST /admin/tokens {'role':'viewer','name':'v'}",
          "admin GET /admin/audit",
          "admin POST /workspaces/{id}/restart",
          "admin POST /workspaces/{id}/pause",
          "admin POST /workspaces/{paused}/resume",
          "admin POST /workspaces {'name':'c'}",
          "admin DELETE /workspaces/{id}");

  private static final Pattern NAME = Pattern.compile("\\{(\\w+)}");

  private final TestClient client;

  /** Prepares requests: a connection that an earlier stall has broken ends with a 503. */
  private final TestClient patient;

  private final Agent poller;
  private final Agent called;
  private final Agent away;

  /** {@code url} is that of an agent that answers at once. */
  RequestKinds(TestClient client, String url) {
    this.client = client;
    this.patient = client.patient();
    this.poller = patient.create("poller", "\"delivery_mode\":\"poll\"");
    this.called = child("called", "push", url);
    this.away = child("away", "push", url);
    patient.post(
        "/registry/register",
        called.token(),
        "{\"id\":\"%s\",\"url\":\"%s\",\"agent_card\":{\"name\":\"c\"}}"
            .formatted(called.id(), url));
  }

  /**
   * Creates the objects of each kind and returns the calls; the tokens of agents are not in the
   * cache.
   */
  Map<String, Callable<Answer>> prepare(Collection<String> kinds) {
    patient.heartbeat(called);
    Map<String, Callable<Answer>> requests = new LinkedHashMap<>();
    kinds.forEach(kind -> requests.put(kind, prepare(kind)));
    return requests;
  }

  private Callable<Answer> prepare(String kind) {
    Agent agent = agent();
    if (kind.startsWith("known ")) {
      patient.get("/workspaces/" + agent.id() + "/state", agent.token());
    }
    String[] parts =
        NAME.matcher(kind.replace('\'', '"'))
            .replaceAll(name -> Matcher.quoteReplacement(made(name.group(1), agent)))
            .split(" ", 4);
    String token = parts[0].equals("admin") ? ADMIN_TOKEN : agent.token();
    String body = parts.length == 4 ? parts[3] : null;
    return () ->
        client.send(parts[1], parts[2], token, body, "X-Workspace-ID", agent.id().toString());
  }

  private String made(String name, Agent agent) {
    return switch (name) {
      case "id" -> agent.id().toString();
      case "poller" -> poller.id().toString();
      case "called" -> called.id().toString();
      case "away" -> away.id().toString();
      case "paused" -> paused(agent);
      case "uuid" -> UUID.randomUUID().toString();
      case "large" -> "x".repeat(400 * 1024);
      case "row" -> sent(agent, UUID.randomUUID()).field("activity_id");
      case "seq" -> sequenceNumber(agent);
      case "asked" -> {
        UUID asked = UUID.randomUUID();
        sent(agent, poller, asked);
        yield asked.toString();
      }
      case "sent" -> {
        UUID sent = UUID.randomUUID();
        sent(called, sent, "again");
        yield sent.toString();
      }
      case "queued" -> sent(away, UUID.randomUUID()).field("queue_id");
      case "delegation" -> delegation(agent);
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** A poll agent that may talk to the others, and whose token was never used. */
  Agent agent() {
    return child("agent", "poll", "");
  }

  private Agent child(String name, String mode, String url) {
    String more = url.isEmpty() ? "" : ",\"url\":\"" + url + "\"";
    return patient.create(
        name, "\"parent_id\":\"%s\",\"delivery_mode\":\"%s\"%s".formatted(poller.id(), mode, more));
  }

  private Answer sent(Agent to, UUID messageId) {
    return sent(to, messageId, "short");
  }

  private Answer sent(Agent to, UUID messageId, String text) {
    return sent(to, ADMIN_TOKEN, messageId, text);
  }

  private Answer sent(Agent to, Agent by, UUID messageId) {
    return sent(to, by.token(), messageId, "short");
  }

  private Answer sent(Agent to, String token, UUID messageId, String text) {
    String body = message(messageId.toString(), text, "").replace('\'', '"');
    // a delivery that an earlier stall has broken may end with other errors than a 503
    return Awaitility.await()
        .until(
            () -> patient.post("/workspaces/" + to.id() + "/a2a", token, body),
            answer -> answer.status() / 100 == 2);
  }

  private String sequenceNumber(Agent agent) {
    sent(agent, UUID.randomUUID());
    return "1";
  }

  private String paused(Agent agent) {
    patient.post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, "");
    return agent.id().toString();
  }

  /** Delegates to the callee; returns the id. */
  String delegation(Agent callee) {
    Answer answer =
        patient.post(
            "/workspaces/" + poller.id() + "/delegate",
            poller.token(),
            "{\"target_id\":\"%s\",\"task\":\"t\"}".formatted(callee.id()));
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    return answer.field("delegation_id");
  }

  private static String message(String id, String text, String more) {
    return "{'jsonrpc':'2.0','id':1,'method':'message/send','params':{'message':{'role':'user',"
        + "'messageId':'%s','parts':[{'kind':'text','text':'%s'}]%s}}}".formatted(id, text, more);
  }
}

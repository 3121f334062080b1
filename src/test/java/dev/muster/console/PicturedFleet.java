package dev.muster.console;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/**
 * The fleet of the pictures in the documentation: always the same workspaces, with the same
 * trouble, that began the same time ago.
 */
final class PicturedFleet {

  private static final List<String> TEAMS =
      List.of("Payments", "Search", "Mobile", "Research", "Support", "Data");
  private static final List<String> ROLES = List.of("code review", "planning", "testing", "triage");
  private static final List<String> NAMES =
      List.of("Reviewer", "Planner", "Researcher", "Tester", "Fetcher");
  private static final int SQUADS = 4;
  private static final int SQUAD_SIZE = 20;

  private static final String WEDGED =
      "\"runtime_state\":\"wedged\",\"sample_error\":\"Control request timeout: initialize\"";

  /** What no call of the API does: it lets time pass, and agents fall silent. */
  private static final String BACKDATE =
      """
      UPDATE control_plane_uptime SET up_since = now() - interval '3 days';
      UPDATE workspaces SET created_at = created_at - interval '9 days';
      UPDATE workspace_heartbeats SET status_since = now() - interval '7 hours',
        last_heartbeat_at = last_heartbeat_at - (get_byte(uuid_send(workspace_id), 0) % 25) * interval '1 second',
        uptime_seconds = 25200
      WHERE status <> 'degraded';
      UPDATE workspace_heartbeats SET status_since = now() - interval '2 minutes 6 seconds'
      WHERE degraded_reason = 'runtime_wedged';
      UPDATE workspace_heartbeats SET status_since = now() - interval '24 minutes'
      WHERE degraded_reason = 'error_rate';
      UPDATE workspace_heartbeats SET status = 'offline', status_since = now() - interval '11 minutes',
        last_heartbeat_at = now() - interval '14 minutes'
      WHERE workspace_id IN (SELECT id FROM workspaces WHERE name !~ '^(Tester|Planner)' AND role = 'research');
      UPDATE workspace_heartbeats SET stalled = true, stalled_since = now() - interval '8 minutes',
        busy_since = now() - interval '18 minutes', active_tasks = 1,
        status_since = now() - interval '3 hours'
      WHERE workspace_id IN (SELECT id FROM workspaces WHERE name IN ('Planner 31', 'Tester 133'));
      UPDATE workspace_heartbeats SET status = 'failed', status_since = now() - interval '52 minutes',
        sample_error = 'exit code 137'
      WHERE workspace_id IN (SELECT id FROM workspaces WHERE name = 'Tester 248')
      """;

  /** The agent that is wedged, and the one that waits for it. */
  final Agent wedged;

  final Agent planner;

  /** What the planner waits for. */
  final String delegation;

  final List<Agent> leads = new ArrayList<>();
  private final TestClient client;

  PicturedFleet(TestServer server) {
    this.client = server.client();
    for (String team : TEAMS) {
      Agent lead = client.createOnline("Team " + team, "\"role\":\"team lead\"");
      leads.add(lead);
      for (int squad = 1; squad <= SQUADS; squad++) {
        Agent head = online(team + " lead " + squad, "squad lead", lead, "langgraph");
        int first = 1 + SQUAD_SIZE * ((squad - 1) + SQUADS * TEAMS.indexOf(team));
        // one after the other: the order of creation is the order on the map
        IntStream.range(first, first + SQUAD_SIZE).forEach(i -> member(i, head));
      }
    }
    Agent lead = leads.getFirst();
    planner = online("Planner 3", "planning", lead, "claude");
    wedged = online("Reviewer 4711", "code review", lead, "claude");
    client.heartbeat(wedged, WEDGED);
    delegation = delegate();
    talk();
    queue();
    Awaitility.await()
        .until(() ->
            client
                .get("/console/history/" + wedged.id(), TestServer.ADMIN_TOKEN)
                .text()
                .contains("degraded"));
    server.database().execute(historyWith(wedged.id()));
    server.database().execute(BACKDATE);
  }

  /**
   * A day of history: two agents are always in trouble; a host was away for 24 minutes, and an
   * upstream failed for an hour, for the wedged agent too.
   */
  private static String historyWith(UUID wedged) {
    return """
    UPDATE history_head SET began_at = now() - interval '3 days';
    INSERT INTO fleet_minutes (minute, awaiting_agent, online, degraded, offline, paused, failed, other, transitions)
    SELECT minute, 10, 501 - degraded - offline, degraded, offline, 4, 0, 0, 1
    FROM (SELECT ago, date_trunc('minute', now()) - ago * interval '1 minute' AS minute,
              CASE WHEN ago BETWEEN 480 AND 540 THEN 64 ELSE 2 END AS degraded,
              CASE WHEN ago BETWEEN 900 AND 924 THEN 41 ELSE 0 END AS offline
          FROM generate_series(2, 1440) AS ago) AS past
    ON CONFLICT DO NOTHING;
    UPDATE ended_status_periods SET until = now() - interval '2 minutes 6 seconds', since = now() - interval '8 hours'
    WHERE workspace_id = '%1$s' AND status = 'online';
    UPDATE open_status_periods SET since = now() - interval '2 minutes 6 seconds' WHERE workspace_id = '%1$s';
    INSERT INTO ended_status_periods (workspace_id, since, seq, until, previous, status, degraded_reason)
    VALUES ('%1$s', now() - interval '9 hours', -1, now() - interval '8 hours', 'online', 'degraded', 'error_rate'),
           ('%1$s', now() - interval '9 days', -2, now() - interval '9 hours', NULL, 'online', NULL)
    """
        .formatted(wedged);
  }

  private Agent online(String name, String role, Agent parent, String runtime) {
    Agent agent = create(name, role, parent, runtime);
    client.heartbeat(agent);
    return agent;
  }

  private Agent create(String name, String role, Agent parent, String runtime) {
    return client.create(
        name,
        "\"role\":\"" + role + "\"",
        "\"runtime\":\"" + runtime + "\"",
        "\"parent_id\":\"" + parent.id() + "\"");
  }

  private void member(int i, Agent head) {
    String name = NAMES.get(i % NAMES.size()) + " " + i;
    // a research squad sits on one host
    String role = (i - 1) / SQUAD_SIZE == 7 ? "research" : ROLES.get(i * 7 % ROLES.size());
    Agent agent = create(name, role, head, i % 3 == 0 ? "langgraph" : "claude");
    if (i % 67 == 0) {
      return; // awaits its agent
    }
    boolean isBusy = i % 4 == 0;
    client.heartbeat(
        agent,
        "\"active_tasks\":" + (isBusy ? 1 : 0),
        "\"current_task\":\"" + (isBusy ? "review pull request " + (i % 90 + 1) : "") + "\"");
    if (i % 17 == 0) {
      client.heartbeat(agent, WEDGED);
    } else if (i % 41 == 0) {
      client.heartbeat(
          agent,
          "\"error_rate\":0.7,\"sample_error\":\"429 from upstream: quota of key %d exceeded\""
              .formatted(i));
    } else if (i % 97 == 0) {
      client.post("/workspaces/" + agent.id() + "/pause", TestServer.ADMIN_TOKEN, "{}");
    }
  }

  /** A delegation, and what it caused. */
  private String delegate() {
    String id = delegation(planner, wedged, "Review pull request 42", "");
    client.post(
        "/workspaces/" + wedged.id() + "/delegations/" + id + "/heartbeat", wedged.token(), "");
    String because = ",\"parent_delegation_id\":\"" + id + "\"";
    String asked = delegation(wedged, leads.getFirst(), "Say who owns the ledger", because);
    client.post(
        "/workspaces/" + leads.getFirst().id() + "/delegations/" + asked + "/update",
        leads.getFirst().token(),
        "{\"status\":\"completed\",\"result\":\"The team of Payments lead 2.\"}");
    delegation(wedged, planner, "Reproduce the failed migration", because);
    run("RuntimeStart", "\"runtime_name\":\"local\",\"language\":\"python\"");
    run("RuntimeStdout", "\"chunk\":\"reading 14 files\\nmigrations/0042.sql: 3 statements\\n\"");
    return id;
  }

  private void talk() {
    say(wedged, "m-1", "Which pull requests wait for you?");
    client.post(
        "/workspaces/" + wedged.id() + "/notify",
        wedged.token(),
        "{\"message\":\"Two: 41 and 42. I begin with 42.\",\"reply_to\":\"m-1\"}");
    say(wedged, "m-2", "Good. Please look at the migration most closely.");
  }

  /** Messages that wait for push agents, which have not been heard of yet. */
  private void queue() {
    for (int i = 1; i <= 3; i++) {
      Agent target =
          client.create(
              "Mailer " + i,
              "\"role\":\"notification\"",
              "\"delivery_mode\":\"push\"",
              "\"url\":\"http://127.0.0.1:9/mailer-" + i + "\"");
      for (int n = 1; n <= 5 - i; n++) {
        say(target, "q-" + i + "-" + n, "Tell the owners of build " + (80 + n) + " that it failed");
      }
    }
  }

  private void run(String type, String payload) {
    client.post(
        "/workspaces/" + wedged.id() + "/runtime-events",
        wedged.token(),
        "{\"type\":\"" + type + "\",\"payload\":{\"task_name\":\"analyse\"," + payload + "}}");
  }

  private void say(Agent agent, String id, String text) {
    client.post(
        "/workspaces/" + agent.id() + "/a2a",
        TestServer.ADMIN_TOKEN,
        """
        {"method":"message/send","params":{"message":{"role":"user","messageId":"%s","parts":[{"kind":"text","text":"%s"}]}}}\
        """
            .formatted(id, text));
  }

  private String delegation(Agent from, Agent to, String task, String more) {
    return client
        .post(
            "/workspaces/" + from.id() + "/delegate",
            from.token(),
            "{\"target_id\":\"%s\",\"task\":\"%s\"%s}".formatted(to.id(), task, more))
        .field("delegation_id");
  }
}

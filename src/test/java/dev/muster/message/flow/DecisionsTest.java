package dev.muster.message.flow;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.RowId;
import dev.muster.message.queue.QueueWorker;
import dev.muster.message.queue.TestQueue;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/**
 * What the server does with a request, for each state of its target and of the message (R7.3 to
 * R7.7), is as {@code src/test/resources/decisions.txt} says; {@code -Dupdate-docs} writes that
 * file. It sends 410 requests, 8 at a time, which takes 15 to 30 s.
 */
@Slow
@Timeout(180)
class DecisionsTest {

  private static final Path FILE = Path.of("src/test/resources/decisions.txt");
  private static final int AT_ONCE = 8;
  private static final int FEED_MAX_ROWS = 4;

  /** The bound of a queue (R7.7). */
  private static final int QUEUE_BOUND = 1_000;

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer SERVER = start();
  private static final TestServer CAREFUL = start("A2A_RETRY_AMBIGUOUS=false");

  private enum Status {
    ONLINE,
    DEGRADED,
    OFFLINE,
    AWAITING_AGENT,
    PAUSED
  }

  private enum Waiting {
    NOBODY,
    ANOTHER_SENDER,
    THE_SENDER,
    A_FULL_QUEUE
  }

  private enum Kind {
    MESSAGE,
    OTHER_METHOD,
    REPLY_TO_DELEGATION
  }

  /** How an earlier send of the message stands. */
  private enum Earlier {
    WAITING,
    IN_DELIVERY,
    ANSWERED,
    REFUSED,
    UNCERTAIN,
    IN_FEED
  }

  /** The state of a push agent to which a message is sent again. */
  private enum Now {
    FREE,
    AT_CAPACITY,
    OFFLINE,
    PAUSED,
    FULL_QUEUE,
    POLLS,
    REMOVED
  }

  /** A request with its circumstances; {@code decided} sends it and describes what came of it. */
  private record Case(String name, Callable<String> decided) {}

  private static TestServer start(String... settings) {
    TestServer server =
        TestServer.startWithoutSweepsOn(
            DATABASE,
            Stream.concat(
                    Stream.of("AGENT_URL_ALLOW=loopback", "FEED_MAX_ROWS=" + FEED_MAX_ROWS),
                    Stream.of(settings))
                .toArray(String[]::new));
    // what waits goes on waiting
    server.bean(QueueWorker.class).stop();
    return server;
  }

  private final TestClient client = SERVER.client();
  private final TestPeer peer =
      TestPeer.start()
          .usually(PeerBehavior.answer(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));

  /** All agents are siblings, so that one may send to another. */
  private final String parent = "\"parent_id\":\"" + client.create("Team").id() + "\"";

  DecisionsTest() throws IOException {}

  @AfterAll
  static void close() {
    SERVER.close();
    CAREFUL.close();
  }

  @Test
  void areAsTheFileSays() throws Exception {
    List<Case> cases = new ArrayList<>();
    pushCases(cases);
    pollCases(cases);
    repeatedCases(cases);
    List<String> lines = new ArrayList<>();
    Semaphore places = new Semaphore(AT_ONCE);
    try (peer;
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> results =
          cases.stream()
              .map(one ->
                  threads.submit(() -> {
                    places.acquire();
                    try {
                      return one.decided().call();
                    } finally {
                      places.release();
                    }
                  }))
              .toList();
      for (int i = 0; i < cases.size(); i++) {
        lines.add(cases.get(i).name() + " → " + results.get(i).get());
      }
    }
    if (Boolean.getBoolean("update-docs")) {
      Files.write(FILE, lines);
    }
    assertThat(lines)
        .as("if a rule changes: mvn test -Dtest=DecisionsTest -Dupdate-docs=true")
        .containsExactlyElementsOf(Files.readAllLines(FILE));
  }

  private void pushCases(List<Case> cases) {
    for (Kind kind : Kind.values()) {
      for (Status status : Status.values()) {
        for (boolean hasUrl : new boolean[] {true, false}) {
          for (boolean isFull : new boolean[] {false, true}) {
            if (isFull && status == Status.AWAITING_AGENT) {
              continue; // without a heartbeat it has no tasks
            }
            for (Waiting waiting : Waiting.values()) {
              if (waiting == Waiting.A_FULL_QUEUE && (isFull || !hasUrl)) {
                continue; // to fill a queue takes long
              }
              cases.add(
                  new Case(
                      "%s to a push agent, %s%s%s, waiting: %s"
                          .formatted(
                              kind,
                              status,
                              hasUrl ? "" : ", without a url",
                              isFull ? ", at capacity" : "",
                              waiting),
                      () -> {
                        Agent target = pushAgent(hasUrl ? peer.url() : null);
                        Request request = new Request(target, kind);
                        become(target, status, isFull);
                        wait(target, waiting, request.sender());
                        return request.send();
                      }));
            }
          }
        }
      }
      cases.add(
          new Case(
              kind + " to a removed push agent",
              () -> {
                Agent target = pushAgent(peer.url());
                Request request = new Request(target, kind);
                client.delete("/workspaces/" + target.id(), ADMIN_TOKEN);
                return request.send();
              }));
    }
  }

  private void pollCases(List<Case> cases) {
    for (Kind kind : Kind.values()) {
      for (Status status : Status.values()) {
        for (boolean isFull : new boolean[] {false, true}) {
          cases.add(
              new Case(
                  "%s to a poll agent, %s%s"
                      .formatted(kind, status, isFull ? ", with a full feed" : ""),
                  () -> {
                    Agent target = client.create("Target", "\"delivery_mode\":\"poll\"", parent);
                    Request request = new Request(target, kind);
                    become(target, status, false);
                    if (isFull) {
                      fillFeed(target);
                    }
                    return request.send();
                  }));
        }
      }
    }
  }

  private void repeatedCases(List<Case> cases) {
    for (Earlier earlier : Earlier.values()) {
      for (Now now : Now.values()) {
        cases.add(repeated(earlier, now, "", SERVER, "hello"));
        cases.add(repeated(earlier, now, ", never sent twice", CAREFUL, "hello"));
        cases.add(repeated(earlier, now, ", of other content", SERVER, "another"));
      }
    }
  }

  private Case repeated(Earlier earlier, Now now, String more, TestServer server, String text) {
    return new Case(
        "repeated message that is %s%s, to a push agent, now %s".formatted(earlier, more, now),
        () -> {
          Agent target = pushAgent(peer.url());
          Request request = new Request(target, Kind.MESSAGE);
          stand(target, request, earlier);
          remember(target, now, server);
          become(target, now);
          return request.repeat(server, text);
        });
  }

  private Agent pushAgent(@Nullable String url) {
    String push = "\"delivery_mode\":\"push\",\"max_concurrent_tasks\":1";
    return url == null
        ? client.create("Target", push, parent)
        : client.create("Target", push, parent, "\"url\":\"" + url + "\"");
  }

  private void become(Agent target, Status status, boolean isFull) {
    if (status == Status.AWAITING_AGENT) {
      return;
    }
    client.heartbeat(
        target,
        "\"active_tasks\":" + (isFull ? 1 : 0),
        "\"error_rate\":" + (status == Status.DEGRADED ? "0.9" : "0"));
    if (status == Status.OFFLINE) {
      DATABASE.execute(
          "UPDATE workspace_heartbeats SET status = 'offline' WHERE workspace_id = '"
              + target.id()
              + "'");
    } else if (status == Status.PAUSED) {
      done(client.post("/workspaces/" + target.id() + "/pause", ADMIN_TOKEN, "{}"));
    }
  }

  private void become(Agent target, Now now) {
    switch (now) {
      case FREE -> become(target, Status.ONLINE, false);
      case AT_CAPACITY -> become(target, Status.ONLINE, true);
      case OFFLINE -> become(target, Status.OFFLINE, false);
      case PAUSED -> become(target, Status.PAUSED, false);
      case FULL_QUEUE -> wait(target, Waiting.A_FULL_QUEUE, null);
      case POLLS -> patch(target, "\"delivery_mode\":\"poll\"");
      case REMOVED -> client.delete("/workspaces/" + target.id(), ADMIN_TOKEN);
    }
  }

  /** Lets the server remember the target as one that takes messages, which it is no longer then. */
  private void remember(Agent target, Now next, TestServer server) {
    if (Set.of(Now.AT_CAPACITY, Now.OFFLINE, Now.PAUSED, Now.POLLS).contains(next)) {
      client.heartbeat(target);
      done(
          server
              .client()
              .patient()
              .post(
                  "/workspaces/" + target.id() + "/a2a",
                  ADMIN_TOKEN,
                  "{\"method\":\"tasks/get\",\"params\":{\"id\":\"t\"}}"));
    }
  }

  private void patch(Agent target, String field) {
    done(client.patch("/workspaces/" + target.id(), ADMIN_TOKEN, "{" + field + "}"));
  }

  /** Queues messages without content; {@code sender} is null for the canvas. */
  private static void wait(Agent target, Waiting waiting, @Nullable Agent sender) {
    @Nullable UUID own = sender == null ? null : sender.id();
    switch (waiting) {
      case NOBODY -> {}
      case ANOTHER_SENDER -> fillQueue(target, 1, UUID.randomUUID());
      case THE_SENDER -> fillQueue(target, 1, own);
      case A_FULL_QUEUE -> fillQueue(target, QUEUE_BOUND, own);
    }
  }

  private static void fillQueue(Agent target, int messages, @Nullable UUID sender) {
    DATABASE.execute(
        """
        INSERT INTO deliveries (workspace_id, seq, sender_id, kind, queued, depth, priority, enqueued_at, due_at, expires_at)
        SELECT '%s', n, %s, 'message', true, 0, 50, since, since + interval '1 day', since + interval '1 day'
        FROM generate_series(1000001, 1000000 + %d) AS n, CAST(clock_timestamp() AS timestamptz) AS since
        """
            .formatted(target.id(), sender == null ? "NULL" : "'" + sender + "'", messages));
  }

  private void fillFeed(Agent target) {
    int rows = 0;
    while (report(target).status() == 200) {
      assertThat(++rows).isLessThanOrEqualTo(FEED_MAX_ROWS);
    }
  }

  private Answer report(Agent target) {
    return client.post(
        "/workspaces/" + target.id() + "/activity",
        target.token(),
        "{\"activity_type\":\"agent_log\"}");
  }

  /** Sends the request for the first time, and lets it come to stand so. */
  private void stand(Agent target, Request request, Earlier earlier) {
    if (earlier == Earlier.ANSWERED) {
      client.heartbeat(target);
      assertThat(request.post(SERVER, "hello").status()).isEqualTo(200);
      return;
    }
    Answer sent = request.post(SERVER, "hello");
    assertThat(sent.status()).as(sent.text()).isEqualTo(202);
    TestQueue.Queued queued =
        new TestQueue.Queued(target.id(), UUID.fromString(sent.field("queue_id")), request.id);
    TestQueue queue = new TestQueue(client, DATABASE);
    switch (earlier) {
      case IN_DELIVERY -> {
        request.timeout = "0.2";
        queue.claimByAnotherReplica(queued);
        queue.set(queued, "queued = false");
      }
      case REFUSED -> expire(queued);
      case UNCERTAIN -> {
        queue.set(queued, "deliveries = 1");
        expire(queued);
      }
      case IN_FEED -> {
        patch(target, "\"delivery_mode\":\"poll\"");
        done(
            client.post(
                "/workspaces/" + target.id() + "/activity/ack",
                target.token(),
                "{\"acked_seq\":" + RowId.seqOf(queued.id()) + "}"));
        patch(target, "\"delivery_mode\":\"push\",\"url\":\"" + peer.url() + "\"");
      }
      case WAITING, ANSWERED -> {}
    }
  }

  private void expire(TestQueue.Queued queued) {
    done(client.post("/admin/a2a-queue/" + queued.id() + "/expire", ADMIN_TOKEN, ""));
  }

  private static void done(Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  /** A request to the target that has an id of its own, and what came of it. */
  private final class Request {

    private final Agent target;
    private final Kind kind;
    private final String id = "m-" + UUID.randomUUID();
    private final @Nullable Agent sender;
    private final String delegation;
    private String timeout = "20";

    Request(Agent target, Kind kind) {
      this.target = target;
      this.kind = kind;
      sender = kind == Kind.REPLY_TO_DELEGATION ? callee() : null;
      delegation = sender == null ? "" : delegate(sender);
    }

    /** Null for the canvas. */
    @Nullable Agent sender() {
      return sender;
    }

    private Agent callee() {
      return client.create("Callee", "\"delivery_mode\":\"poll\"", parent);
    }

    private String delegate(Agent callee) {
      Answer begun =
          client.post(
              "/workspaces/" + target.id() + "/delegate",
              target.token(),
              "{\"target_id\":\"" + callee.id() + "\",\"task\":\"count\"}");
      assertThat(begun.status()).as(begun.text()).isEqualTo(202);
      return begun.field("delegation_id");
    }

    String send() {
      return described(post(SERVER, "hello"));
    }

    String repeat(TestServer server, String text) {
      int before = calls();
      String described = described(post(server, text));
      return calls() == before ? described : described + " again";
    }

    Answer post(TestServer server, String text) {
      String body =
          switch (kind) {
            case MESSAGE ->
                "{'jsonrpc':'2.0','id':1,'method':'message/send','params':{'message':{'messageId':'%s','parts':[{'kind':'text','text':'%s'}]}}}"
                    .formatted(id, text);
            case OTHER_METHOD ->
                "{'jsonrpc':'2.0','id':1,'method':'tasks/get','params':{'id':'%s'}}".formatted(id);
            case REPLY_TO_DELEGATION ->
                "{'jsonrpc':'2.0','id':1,'method':'message/send','params':{'message':{'messageId':'%s','parts':[{'kind':'text','text':'%s'}],'metadata':{'delegation_id':'%s'}}}}"
                    .formatted(id, text, delegation);
          };
      return server
          .client()
          .post(
              "/workspaces/" + target.id() + "/a2a?wait=0",
              sender == null ? ADMIN_TOKEN : sender.token(),
              body.replace('\'', '"'),
              "X-Timeout",
              timeout);
    }

    private int calls() {
      return (int) peer.deliveries().stream().filter(call -> call.text().contains(id)).count();
    }

    private String described(Answer answer) {
      String row =
          DATABASE.value(
              """
              SELECT coalesce(string_agg(concat_ws(' ',
                  CASE WHEN d.seq IS NOT NULL THEN
                      d.kind || CASE WHEN d.owner IS NOT NULL THEN ' held' ELSE ' waiting' END || ' ' || d.priority END,
                  o.state, o.queue_state), ' and '), 'no row')
              FROM activity_logs l
              LEFT JOIN deliveries d ON d.workspace_id = l.workspace_id AND d.seq = l.seq
              LEFT JOIN delivery_outcomes o ON o.workspace_id = l.workspace_id AND o.seq = l.seq
              WHERE l.workspace_id = '%s' AND l.request_body LIKE '%%%s%%'
              """
                  .formatted(target.id(), id));
      String delegated =
          sender == null
              ? ""
              : ", delegation "
                  + DATABASE.value(
                      "SELECT coalesce(terminal_status, 'open') FROM delegations WHERE"
                          + " delegation_id = '"
                          + delegation
                          + "'");
      return "%d %s; %s%s; called %d"
          .formatted(
              answer.status(), said(answer), row.isEmpty() ? "in feed" : row, delegated, calls());
    }

    private String said(Answer answer) {
      JsonNode json = answer.json();
      return Stream.of("code", "status", "result", "error")
          .filter(json::has)
          .map(name -> json.get(name).isContainer() ? name : json.get(name).asString())
          .findFirst()
          .orElseThrow();
    }
  }
}

package dev.muster.message.flow;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.flow.FaultPoint.Step;
import dev.muster.testing.FastPace;
import dev.muster.testing.MachinePauses;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.awaitility.Awaitility;

/**
 * Sends messages of every kind and a delegation to a replica into which a fault is injected. Its
 * clients repeat their requests with the same ids at another replica. Afterwards nothing is lost or
 * completed twice, each agent has seen one id for each message, and the caller was notified once.
 */
final class FaultRun implements AutoCloseable {

  /** After this time without an answer a client repeats its request at another replica. */
  private static final Duration PATIENCE = FastPace.seconds(30);

  /** A lease, an interval of the sweep, and the time for the sweep. */
  private static final Duration ALL_CLOSED = FastPace.seconds(35);

  /** What a busy machine takes, at any pace, when two replicas fail one after the other. */
  private static final Duration AT_LEAST = Duration.ofSeconds(20);

  /** The time for the deliveries that the sweep starts. */
  private static final Duration LAST_COMMITS = Duration.ofSeconds(5);

  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final TestDatabase database;
  private final TestClient other;
  private final CountingAgent agent = new CountingAgent();
  private final MachinePauses pauses = new MachinePauses();
  private final FaultyReplica faulty;
  private final CompletableFuture<Long> injectedAt = new CompletableFuture<>();
  private final Agent team;
  private final Agent called;
  private final Agent away;
  private final Agent poller;
  private final Agent caller;

  /** {@code other} is a client of a replica on the same database without faults. */
  FaultRun(TestDatabase database, TestClient other, FaultyReplica faulty) throws IOException {
    this.database = database;
    this.other = other;
    this.faulty = faulty;
    team = other.create("Team");
    called = member("called", "push");
    away = member("away", "push");
    caller = member("caller", "push");
    poller = member("poller", "poll");
  }

  private Agent member(String name, String mode) {
    String url = mode.equals("push") ? ",\"url\":\"" + agent.url() + "\"" : "";
    return other.create(
        name, "\"parent_id\":\"%s\",\"delivery_mode\":\"%s\"%s".formatted(team.id(), mode, url));
  }

  /** Returns the statements that a replica sends in each step without a fault. */
  Map<Step, Set<String>> observe() {
    Map<Step, Set<String>> sent = new EnumMap<>(Step.class);
    AtomicReference<Step> now = new AtomicReference<>(Step.DIRECT_MESSAGE);
    Sent all =
        work(step -> {
          sent.put(now.getAndSet(step), faulty.wire().takeSent());
        });
    awaitClosed(System.nanoTime());
    sent.put(now.get(), faulty.wire().takeSent());
    assertEachOnce(all);
    return sent;
  }

  /** Returns false when the replica never reached this point. */
  boolean run(FaultPoint point) {
    Runnable inject =
        () -> {
          if (point.isStop()) {
            faulty.stop();
          } else {
            faulty.kill();
          }
          injectedAt.complete(System.nanoTime());
        };
    Sent sent =
        work(step -> {
          if (step == point.step()) {
            faulty.wire().stopAt(point.statement(), point.side(), inject);
          }
        });
    if (!injectedAt.isDone()) {
      return false;
    }
    awaitClosed(injectedAt.join());
    assertEachOnce(sent);
    if (point.isStop()) {
      faulty.awaitLapse();
      faulty.goOn();
      awaitClosed(System.nanoTime());
      assertEachOnce(sent);
    }
    return true;
  }

  private Sent work(Consumer<Step> beginning) {
    heartbeat(called);
    heartbeat(caller);
    beginning.accept(Step.DIRECT_MESSAGE);
    String direct = "direct-" + UUID.randomUUID();
    send(called, ADMIN_TOKEN, direct, "", 200);
    String queued = "queued-" + UUID.randomUUID();
    send(away, ADMIN_TOKEN, queued, "", 202);
    beginning.accept(Step.QUEUED_MESSAGE);
    heartbeat(away);
    String asked = "asked-" + UUID.randomUUID();
    send(poller, called.token(), asked, "", 200);
    String reply = "reply-" + UUID.randomUUID();
    send(called, poller.token(), reply, ",\"metadata\":{\"reply_to\":\"" + asked + "\"}", 200);
    Set<String> others = Set.of(direct, queued, reply);
    AtomicBoolean isGiven = new AtomicBoolean();
    agent.works(id -> {
      if (!others.contains(id) && isGiven.compareAndSet(false, true)) {
        beginning.accept(Step.RESULT_OF_DELEGATION);
      }
      return 200;
    });
    beginning.accept(Step.DELEGATION);
    String delegation = delegate();

    Sent sent = new Sent(direct, queued, asked, reply, delegation);
    for (String id : sent.toAgent()) {
      Awaitility.await(id).atMost(TIMEOUT).until(() -> agent.timesReceived(id) > 0);
    }
    awaitEnd(delegation);
    return sent;
  }

  /** The ids of the sent messages. */
  private record Sent(String direct, String queued, String asked, String reply, String delegation) {

    List<String> toAgent() {
      return List.of(direct, queued, reply, delegation, delegation + ":result");
    }
  }

  private void assertEachOnce(Sent sent) {
    assertOnce(called, sent.direct);
    assertOnce(away, sent.queued);
    assertOnce(poller, sent.asked);
    assertOnce(called, sent.reply);
    assertThat(rows(caller, "method = 'delegate_result'")).isEqualTo("1");
    assertThat(Set.copyOf(agent.received())).containsExactlyInAnyOrderElementsOf(sent.toAgent());
  }

  private void heartbeat(Agent by) {
    ask("/registry/heartbeat", by.token(), "{\"workspace_id\":\"" + by.id() + "\"}");
  }

  private void send(Agent to, String token, String id, String more, int status) {
    String body =
        """
        {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user",
         "messageId":"%s","parts":[{"kind":"text","text":"Hello."}]%s}}}
        """
            .formatted(id, more);
    Answer answer = ask("/workspaces/" + to.id() + "/a2a", token, body);
    assertThat(answer.status()).as("%s: %s", id, answer.text()).isIn(200, status);
  }

  private String delegate() {
    String body =
        "{\"target_id\":\"%s\",\"task\":\"t\",\"idempotency_key\":\"%s\"}"
            .formatted(called.id(), UUID.randomUUID());
    return ask("/workspaces/" + caller.id() + "/delegate", caller.token(), body)
        .field("delegation_id");
  }

  /** Sends to the faulty replica while it answers, then to the other one. */
  private Answer ask(String path, String token, String body) {
    if (!injectedAt.isDone()) {
      CompletableFuture<Answer> asked = new CompletableFuture<>();
      Thread.startVirtualThread(() -> {
        try {
          asked.complete(faulty.client().post(path, token, body));
        } catch (IllegalStateException gone) {
          asked.completeExceptionally(gone);
        }
      });
      try {
        Answer answer = asked.orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).join();
        if (answer.status() / 100 == 2) {
          return answer;
        }
      } catch (CompletionException unknown) {
        // the outcome is unknown, so the request is sent again with its id
      }
    }
    return Awaitility.await(path)
        .atMost(TIMEOUT)
        .ignoreExceptions()
        .until(() -> other.post(path, token, body), answer -> answer.status() / 100 == 2);
  }

  private void awaitEnd(String delegation) {
    String status = "SELECT status FROM delegations WHERE delegation_id = '" + delegation + "'";
    Awaitility.await().atMost(TIMEOUT).until(() -> database.value(status), "completed"::equals);
  }

  private void assertOnce(Agent at, String messageId) {
    assertThat(rows(at, "message_id = '" + messageId + "'")).as(messageId).isEqualTo("1");
  }

  private String rows(Agent of, String condition) {
    return database.value(
        "SELECT count(*) FROM activity_logs WHERE workspace_id = '%s' AND %s"
            .formatted(of.id(), condition));
  }

  private void awaitClosed(long sinceNanos) {
    Duration limit = ALL_CLOSED.compareTo(AT_LEAST) > 0 ? ALL_CLOSED : AT_LEAST;
    Duration left = limit.plus(pauses.longest()).minusNanos(System.nanoTime() - sinceNanos);
    String open =
        "SELECT count(*) FROM deliveries d JOIN workspaces w ON w.id = d.workspace_id"
            + " WHERE w.parent_id = '%s'".formatted(team.id());
    Awaitility.await("nothing is open")
        .atMost(left.compareTo(LAST_COMMITS) > 0 ? left : LAST_COMMITS)
        .until(() -> database.value(open), "0"::equals);
  }

  @Override
  public void close() throws IOException {
    faulty.wire().cut();
    agent.close();
    pauses.close();
  }
}

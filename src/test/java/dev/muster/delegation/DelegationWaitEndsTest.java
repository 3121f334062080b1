package dev.muster.delegation;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Events that end a wait before the delegation ends by itself, on every replica (R1.6, R8.6). */
@Timeout(120)
@Slow
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the server of DelegationWaitEndsTest")
class DelegationWaitEndsTest {

  /** Less than any of the waits, and more than the 5 s of R1.6, for a busy machine. */
  private static final Duration SOON = Duration.ofSeconds(10);

  private static final TestServer HERE = TestServer.start();
  private static final TestServer THERE = TestServer.startOn(HERE.database());
  private static final Delegations LEDGER = new Delegations(HERE);

  private Agent caller;
  private Agent callee;
  private String id;

  @AfterAll
  static void stop() {
    THERE.close();
    HERE.close();
  }

  @BeforeEach
  void delegate() {
    Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> waiting() == 0);
    Agent team = LEDGER.team();
    caller = LEDGER.polling(team);
    callee = LEDGER.polling(team);
    id = LEDGER.delegate(caller, callee, "Do it.");
  }

  @Test
  void endsWhenItsTokenIsRevoked() {
    List<CompletableFuture<Answer>> waits = waitOnBoth(caller, caller.token());
    String tokens = "/workspaces/" + caller.id() + "/tokens";
    String token = LEDGER.client().get(tokens, ADMIN_TOKEN).json().at("/tokens/0/id").asString();

    LEDGER.client().delete(tokens + "/" + token, ADMIN_TOKEN);

    ended(waits).forEach(answer -> assertRefused(answer, 401, "UNAUTHENTICATED"));
  }

  /** A replica may learn of the end of the delegation before it learns of the removal. */
  @Test
  void endsWhenTheWaitingWorkspaceIsRemoved() {
    List<CompletableFuture<Answer>> waits = waitOnBoth(caller, caller.token());

    remove(caller);

    for (Answer answer : ended(waits)) {
      if (answer.status() == 200) {
        assertFailed(answer, "caller removed");
      } else {
        assertRefused(answer, 410, "WORKSPACE_REMOVED");
      }
    }
    String again = "/workspaces/" + caller.id() + "/delegations/" + id + "?wait=28";
    assertThat(HERE.client().get(again, caller.token()).status()).isIn(401, 410);
  }

  @Test
  void endsWhenTheCalleeIsRemoved() {
    List<CompletableFuture<Answer>> waits = waitOnBoth(caller, caller.token());

    remove(callee);

    ended(waits).forEach(answer -> assertFailed(answer, "callee removed"));
  }

  @Test
  void endsWhenTheCallerIsRemoved() {
    List<CompletableFuture<Answer>> waits = waitOnBoth(callee, callee.token());

    remove(caller);

    ended(waits).forEach(answer -> assertFailed(answer, "caller removed"));
  }

  private List<CompletableFuture<Answer>> waitOnBoth(Agent reader, String token) {
    String path = "/workspaces/" + reader.id() + "/delegations/" + id + "?wait=28";
    List<CompletableFuture<Answer>> waits =
        Stream.of(HERE, THERE)
            .map(server ->
                CompletableFuture.supplyAsync(
                    () -> server.client().get(path, token), Thread::startVirtualThread))
            .toList();
    Awaitility.await().atMost(SOON).until(() -> waiting() == 2);
    return waits;
  }

  private static void remove(Agent agent) {
    Answer answer = LEDGER.client().delete("/workspaces/" + agent.id(), ADMIN_TOKEN);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  private static List<Answer> ended(List<CompletableFuture<Answer>> waits) {
    CompletableFuture.allOf(waits.toArray(CompletableFuture[]::new))
        .orTimeout(SOON.toSeconds(), TimeUnit.SECONDS)
        .join();
    return waits.stream().map(CompletableFuture::join).toList();
  }

  private static void assertFailed(Answer answer, String why) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.field("status")).isEqualTo("failed");
    assertThat(answer.text()).contains(why);
  }

  private static double waiting() {
    return Stream.of(HERE, THERE)
        .mapToDouble(
            server -> server.bean(MeterRegistry.class).get("muster.polls.waiting").gauge().value())
        .sum();
  }
}

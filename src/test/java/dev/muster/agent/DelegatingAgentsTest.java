package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Agents that delegate tasks to each other through the server (sections 8 and 13). */
@Slow
@Timeout(120)
class DelegatingAgentsTest {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Agent boss = AgentServer.CLIENT.create("Boss");
  private final Agent clerk =
      AgentServer.CLIENT.create("Clerk", "\"parent_id\":\"" + boss.id() + "\"");
  private final AgentClient bosss = AgentServer.client(boss);
  private final AgentClient clerks = AgentServer.client(clerk);
  private final List<AgentLoop> loops = new ArrayList<>();
  private final List<InboundMessage> accepted = new ArrayList<>();

  @AfterEach
  void stop() {
    loops.forEach(AgentLoop::stop);
  }

  @Test
  void completesATaskByItsAnswer() throws Exception {
    running(clerk, task -> "done: " + task);

    Delegation made = bosss.delegate(clerk.id().toString(), "file that");
    Delegation over = ended(made.id());

    assertThat(over.status()).isEqualTo("completed");
    assertThat(over.result()).isEqualTo("done: file that");
    assertThat(over.targetId()).isEqualTo(clerk.id().toString());
    pollOne();
    assertThat(accepted.getFirst().text()).isEqualTo("done: file that");
    assertThat(accepted.getFirst().delegationId()).isEqualTo(made.id());
    assertThat(accepted.getFirst().isAnswer()).isTrue();
  }

  @Test
  void receivesTheEndOfATaskAndSendsNoReply() throws Exception {
    Delegation made = bosss.delegate(clerk.id().toString(), "file that");
    await().atMost(LIMIT).until(() -> inbox(clerk).size() == 1);

    clerks.updateDelegation(made.id(), new DelegationReport.Completed("filed by hand"));
    pollOne();

    InboundMessage result = accepted.getFirst();
    assertThat(result.source()).isEqualTo(InboundSource.SYSTEM);
    assertThat(result.text()).isEqualTo("filed by hand");
    assertThat(result.delegationId()).isEqualTo(made.id());
    assertThat(inbox(clerk)).hasSize(1);
    assertThat(AgentServer.notifications(boss)).isEmpty();
  }

  @Test
  void failsTheTaskWhoseHandlerThrows() throws Exception {
    running(
        clerk,
        _ -> {
          throw new IllegalStateException("no such file");
        });

    Delegation over = ended(bosss.delegate(clerk.id().toString(), "file that").id());

    assertThat(over.status()).isEqualTo("failed");
    assertThat(over.error()).isEqualTo("no such file");
    pollOne();
    assertThat(accepted.getFirst().source()).isEqualTo(InboundSource.SYSTEM);
    assertThat(accepted.getFirst().text()).isEqualTo("no such file");
  }

  @Test
  void namesItsTaskInEachHeartbeat() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    running(
        clerk,
        task -> {
          awaitLatch(goOn);
          return "done: " + task;
        });
    Delegation made = bosss.delegate(clerk.id().toString(), "a long one");

    await().atMost(LIMIT).until(() -> now(made.id()).status().equals("in_progress"));
    String then = lastHeartbeat(made.id());
    await().atMost(LIMIT).until(() -> !lastHeartbeat(made.id()).equals(then));
    goOn.countDown();

    assertThat(ended(made.id()).status()).isEqualTo("completed");
    String last = lastHeartbeat(made.id());
    String workspaces = lastHeartbeatOfClerk();
    await().atMost(LIMIT).until(() -> !lastHeartbeatOfClerk().equals(workspaces));
    assertThat(lastHeartbeat(made.id())).isEqualTo(last);
  }

  /** People follow by it what caused what (R8.2). */
  @Test
  void namesTheDelegationThatItWorksOnAsTheParentOfItsOwn() throws Exception {
    Agent helper = AgentServer.CLIENT.create("Helper", "\"parent_id\":\"" + clerk.id() + "\"");
    CompletableFuture<String> part = new CompletableFuture<>();
    AgentLoop loop =
        AgentLoop.builder(clerks)
            .registration(Registration.polling("Clerk"))
            .answering((message, client) -> {
              part.complete(client.delegate(helper.id().toString(), "find the file").id());
              return "soon";
            })
            .build();
    loops.add(loop);
    loop.start();
    Delegation whole = bosss.delegate(clerk.id().toString(), "file that");

    assertThat(parentOf(part.get(20, TimeUnit.SECONDS), clerk)).isEqualTo(whole.id());
    assertThat(parentOf(whole.id(), boss)).isEmpty();
    assertThat(parentOf(clerks.delegate(helper.id().toString(), "another").id(), clerk)).isEmpty();
  }

  private static String parentOf(String delegationId, Agent caller) {
    return AgentServer.CLIENT
        .get("/workspaces/" + caller.id() + "/delegations/" + delegationId, caller.token())
        .field("parent_delegation_id");
  }

  @Test
  void recordsATaskThatItDelegatedItself() {
    String id = "mine-" + UUID.randomUUID();
    bosss.recordDelegation(clerk.id().toString(), "file that", id);
    bosss.recordDelegation(clerk.id().toString(), "file that", id);

    clerks.heartbeatDelegation(id);
    assertThat(now(id).status()).isEqualTo("in_progress");
    assertThat(lastHeartbeat(id)).isNotEmpty();

    clerks.updateDelegation(id, new DelegationReport.InProgress());
    clerks.updateDelegation(id, new DelegationReport.Failed("stopped by hand", "Cancelled"));
    assertThat(now(id).status()).isEqualTo("failed");
    assertThat(now(id).error()).isEqualTo("stopped by hand");
    assertThat(now(id).raw().path("error_kind").asString()).isEqualTo("Cancelled");
  }

  @Test
  void endsBetweenTwoAgentsThatAnswerEverything() {
    running(boss, text -> "thanks for " + text);
    running(clerk, text -> "done: " + text);

    Delegation made = bosss.delegate(clerk.id().toString(), "file that");
    bosss.send(clerk.id().toString(), "and this");

    await().atMost(LIMIT).until(() -> inbox(boss).size() == 2);
    assertThat(ended(made.id()).result()).isEqualTo("done: file that");
    AgentServer.awaitAcknowledged(boss);
    AgentServer.awaitAcknowledged(clerk);
    assertThat(inbox(boss)).hasSize(2);
    assertThat(inbox(clerk)).hasSize(2);
  }

  /** An agent of another library, which answers everything and names only the delegation. */
  @Test
  void endsWithAForeignCallee() {
    Delegation made = bosss.delegate(clerk.id().toString(), "file that");
    AgentLoop loop = running(boss, text -> "thanks for " + text);

    answerAsForeigner(made.id(), 1);
    await().atMost(LIMIT).until(() -> inbox(boss).size() == 1);
    AgentServer.awaitAcknowledged(boss);

    assertThat(inbox(clerk)).hasSize(1);
    assertThat(loop.heartbeat().isRunning()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void endsWithAForeignCaller(boolean recorded) {
    String id = "theirs-" + UUID.randomUUID();
    if (recorded) {
      clerks.recordDelegation(boss.id().toString(), "file that", id);
    }
    running(boss, text -> "done: " + text);

    sendAsForeigner("file that", id);
    for (int round = 1; round <= 3; round++) {
      int rows = round;
      await().atMost(LIMIT).until(() -> inbox(clerk).size() == 1);
      answerAsForeigner(id, 1);
      await().atMost(LIMIT).until(() -> inbox(boss).size() == rows + 1);
      AgentServer.awaitAcknowledged(boss);
    }

    assertThat(inbox(clerk).getFirst().at("/data/text").asString()).isEqualTo("done: file that");
    assertThat(inbox(clerk)).hasSize(1);
    if (recorded) {
      assertThat(clerks.delegation(id, Duration.ZERO).result()).isEqualTo("done: file that");
    }
  }

  private void answerAsForeigner(String delegationId, int messages) {
    await().atMost(LIMIT).until(() -> inbox(clerk).size() == messages);
    sendAsForeigner("yes: " + inbox(clerk).getLast().at("/data/text").asString(), delegationId);
  }

  private void sendAsForeigner(String text, String delegationId) {
    AgentServer.CLIENT.post(
        "/workspaces/" + boss.id() + "/a2a",
        clerk.token(),
        """
        {"method":"message/send","params":{"message":{"messageId":"%s","content":"%s",
         "metadata":{"delegation_id":"%s"}}}}
        """
            .formatted(UUID.randomUUID(), text, delegationId));
  }

  private AgentLoop running(Agent agent, UnaryOperator<String> handler) {
    AgentLoop loop =
        AgentLoop.builder(AgentServer.client(agent))
            .registration(Registration.polling("Member"))
            .answering((message, _) -> handler.apply(message.text()))
            .build();
    loops.add(loop);
    loop.start();
    return loop;
  }

  /** Polls until one message arrives, and answers it with thanks. */
  private void pollOne() {
    PollDelivery inbound =
        PollDelivery.builder(bosss).interval(Duration.ZERO).longestWait(LIMIT).build();
    await()
        .atMost(LIMIT)
        .until(() ->
            inbound.runOnce((message, _) -> {
              accepted.add(message);
              return Reply.of("thanks");
            })
                > 0);
    assertThat(accepted).hasSize(1);
  }

  private Delegation now(String id) {
    return bosss.delegation(id, Duration.ZERO);
  }

  private Delegation ended(String id) {
    Delegation over = bosss.delegation(id, LIMIT);
    assertThat(over.isOver()).as(over.raw().toString()).isTrue();
    return over;
  }

  private String lastHeartbeat(String id) {
    return now(id).raw().path("last_heartbeat").asString("");
  }

  private String lastHeartbeatOfClerk() {
    return AgentServer.CLIENT.read(clerk).path("last_heartbeat_at").asString("");
  }

  private static List<JsonNode> inbox(Agent agent) {
    return AgentServer.CLIENT
        .get(
            "/workspaces/" + agent.id() + "/activity?type=a2a_receive&order=asc",
            TestServer.ADMIN_TOKEN)
        .json()
        .valueStream()
        .filter(row -> !row.path("source").asString().equals("self"))
        .toList();
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      assertThat(latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

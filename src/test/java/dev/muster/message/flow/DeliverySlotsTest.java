package dev.muster.message.flow;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.message.flow.DeliverySlots.DeliverySlot;
import dev.muster.message.send.ProxyClient;
import dev.muster.message.send.PushAgents;
import dev.muster.message.store.Sender;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.testing.ConsoleSession;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The bounds on concurrent deliveries of a replica and on their memory. */
@Slow
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the server of DeliverySlotsTest")
class DeliverySlotsTest {

  private static final long MIB = 1 << 20;
  private static final String CALL = "{\"method\":\"tasks/get\",\"params\":{\"id\":\"t\"}}";
  private static final Sender SENDER = new Sender(UUID.randomUUID());
  private static final Sender OTHER = new Sender(UUID.randomUUID());

  private final DeliverySlots slots = new DeliverySlots(640 * MIB);

  private static void assertUnavailable(Runnable opening, String words) {
    assertThatThrownBy(opening::run)
        .isInstanceOfSatisfying(
            ProblemException.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
              assertThat(refusal.detail()).contains(words);
            });
  }

  @Test
  void boundsTheirMemoryToAnEighthOfTheHeap() {
    List<DeliverySlot> open = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      open.add(slots.open(new Sender(UUID.randomUUID()), 16 * MIB));
    }
    assertUnavailable(() -> slots.open(OTHER, 1), "on this server");
    assertThat(slots.keptBytes()).isEqualTo(80 * MIB);

    open.forEach(DeliverySlot::close);
    open.forEach(DeliverySlot::close);

    assertThat(slots.keptBytes()).isZero();
    assertThat(slots.running()).isZero();
  }

  /** What was queued is no request of its sender any more. */
  @Test
  void attemptsOfTheQueueTakeNoSlotsOfTheSender() {
    List<DeliverySlot> queued = new ArrayList<>();
    for (int i = 0; i < slots.mostOfQueue(); i++) {
      queued.add(slots.findForQueue(SENDER, 0).orElseThrow());
    }
    assertThat(slots.findForQueue(OTHER, 0)).isEmpty();

    slots.open(SENDER, 1).close();

    queued.forEach(DeliverySlot::close);
    assertThat(slots.running()).isZero();
    assertThat(slots.findForQueue(SENDER, 0)).isPresent();
  }

  @Test
  void refusesOnlyASenderThatHasItsShare() {
    slots.open(SENDER, 32 * MIB);
    slots.open(Sender.CANVAS, 32 * MIB);

    assertUnavailable(() -> slots.open(SENDER, 1), String.valueOf(SENDER.workspaceId()));
    assertUnavailable(() -> slots.open(Sender.CANVAS, 1), "the canvas");

    slots.open(OTHER, 16 * MIB).close();
  }

  @Test
  void boundsTheDeliveriesOfASenderAndOfAll() {
    for (int i = 0; i < 80; i++) {
      slots.open(SENDER, 1);
    }
    assertUnavailable(() -> slots.open(SENDER, 1), "80 ");
    for (int i = 0; i < 240; i++) {
      slots.open(new Sender(UUID.randomUUID()), 1);
    }
    assertUnavailable(() -> slots.open(OTHER, 1), "on this server");
  }

  @Test
  void boundsTheDeliveriesToATarget() {
    UUID target = UUID.randomUUID();
    List<DeliverySlot> entered = new ArrayList<>();
    for (int i = 0; i < DeliverySlots.MAX_DELIVERIES_OF_TARGET; i++) {
      entered.add(slots.open(new Sender(UUID.randomUUID()), 1));
      assertThat(entered.getLast().enter(target)).isTrue();
    }
    DeliverySlot last = slots.open(SENDER, 1);
    assertThat(last.enter(target)).isFalse();
    assertThat(last.enter(UUID.randomUUID())).isTrue();

    entered.getFirst().close();

    assertThat(slots.open(SENDER, 1).enter(target)).isTrue();
  }

  /** A token and its sessions are one sender, whose messages in progress have one share. */
  @Test
  void countsTheMemoryOfATokenAndItsSessionsTogether() throws Exception {
    try (TestServer server = TestServer.start("AGENT_URL_ALLOW=loopback");
        TestPeer peer = TestPeer.start().usually(PeerBehavior.echo())) {
      TestClient client = server.client();
      Agent agent = client.createOnline("Greedy");
      ConsoleSession session = ConsoleSession.signIn(client, agent.token());
      Agent other = client.createOnline("Modest");
      String own = calledBy(agent, server, peer);
      String others = calledBy(other, server, peer);
      DeliverySlots used = server.bean(DeliverySlots.class);
      try (DeliverySlot _ = used.open(new Sender(agent.id()), used.bytesOfASender())) {
        List<Answer> answers =
            List.of(
                client.post(own, agent.token(), CALL),
                client.post(own, null, CALL, session.headers()));

        for (Answer answer : answers) {
          assertRefused(answer, 503, "UNAVAILABLE");
          assertThat(answer.field("detail")).contains("bytes of " + used.bytesOfASender());
        }
        assertThat(client.post(others, other.token(), CALL).status()).isEqualTo(200);
      }
      assertThat(client.post(own, null, CALL, session.headers()).status()).isEqualTo(200);
    }
  }

  private static String calledBy(Agent caller, TestServer server, TestPeer peer) {
    Agent called = new PushAgents(server).at(peer.url(), "\"parent_id\":\"" + caller.id() + "\"");
    return "/workspaces/" + called.id() + "/a2a";
  }

  @Test
  void queuesMessagesAndRefusesOtherRequestsToATargetAtItsBound() throws Exception {
    try (TestServer server = TestServer.start("AGENT_URL_ALLOW=loopback");
        TestPeer peer = TestPeer.start().usually(PeerBehavior.silence())) {
      Agent target = new PushAgents(server).at(peer.url(), "\"max_concurrent_tasks\":1000");
      ProxyClient proxy = new ProxyClient(server);
      List<CompletableFuture<Answer>> deliveries = new ArrayList<>();
      for (int i = 0; i < DeliverySlots.MAX_DELIVERIES_OF_TARGET; i++) {
        String message = ProxyClient.message("m-" + i, "hi");
        deliveries.add(
            CompletableFuture.supplyAsync(
                () -> proxy.send(target, ADMIN_TOKEN, message, "X-Timeout", "25"),
                Thread::startVirtualThread));
      }
      peer.awaitDeliveries(DeliverySlots.MAX_DELIVERIES_OF_TARGET);
      DeliverySlots used = server.bean(DeliverySlots.class);
      assertThat(used.running()).isEqualTo(DeliverySlots.MAX_DELIVERIES_OF_TARGET);
      assertThat(used.keptBytes()).isPositive();

      Answer message = proxy.send(target, ADMIN_TOKEN, ProxyClient.message("one more", "hi"));
      Answer other = proxy.send(target, ADMIN_TOKEN, CALL);

      assertThat(message.status()).as(message.text()).isEqualTo(202);
      assertRefused(other, 503, "UNAVAILABLE");
      assertThat(other.header("Retry-After")).isNotEmpty();
      assertThat(other.field("detail")).contains(target.id().toString());

      peer.usually(PeerBehavior.echo());
      peer.release();
      CompletableFuture.allOf(deliveries.toArray(CompletableFuture[]::new)).join();
      Awaitility.await().until(() -> used.running() == 0 && used.keptBytes() == 0);
    }
  }

  /** Otherwise the answers that wait for the database would have no bound. */
  @Test
  void areHeldUntilALateOutcomeIsStored() throws Exception {
    try (TestServer server = TestServer.start("AGENT_URL_ALLOW=loopback");
        TestPeer peer = TestPeer.start().usually(PeerBehavior.echo());
        Connection connection = server.database().connect();
        Statement lock = connection.createStatement()) {
      Agent target = new PushAgents(server).at(peer.url());
      DeliverySlots used = server.bean(DeliverySlots.class);
      connection.setAutoCommit(false);
      lock.execute("LOCK TABLE delivery_outcomes");

      Answer answer =
          new ProxyClient(server).send(target, ADMIN_TOKEN, ProxyClient.message("m", "hi"));

      assertRefused(answer, 503, "UNAVAILABLE");
      assertThat(peer.deliveries()).hasSize(1);
      assertThat(used.running()).isEqualTo(1);
      connection.rollback();
      Awaitility.await().until(() -> used.running() == 0 && used.keptBytes() == 0);
      assertThat(server.database().value("SELECT state FROM delivery_outcomes"))
          .isEqualTo("answered");
    }
  }
}

package dev.muster.message.flow;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.message.flow.AttemptPermits.Permit;
import dev.muster.message.flow.QueuedAttempts.Reaction;
import dev.muster.message.queue.TestQueue;
import dev.muster.message.queue.TestQueue.Queued;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Agents that take messages and never answer delay the queue of no other agent (R7.14). */
@Slow
@Timeout(120)
class HungAgentsTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  /**
   * The longer it takes until all have an attempt, the fewer a later one may have, but always one.
   * These are 272 attempts at least, and 256 may begin.
   */
  private static final int HUNG = 100;

  private static final int SENDERS = 8;

  private static final String DELIVERING =
      "SELECT count(*) FROM deliveries WHERE queued AND owner IS NOT NULL";

  /** Queues for each a message, a delegation or a result of each of many senders. */
  private static void queue(TestServer server, List<Agent> targets) {
    String ids =
        targets.stream().map(target -> target.id().toString()).collect(Collectors.joining(","));
    server
        .database()
        .execute(
            """
            INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, source_id, method, status,
                message_id, delegation_id, request_body, request_bytes, listed_bytes, created_at, feed_bytes)
            SELECT id, n, 'p', 'a2a_receive', 'peer_agent', gen_random_uuid(), 'message/send', 'ok', 'm-' || n,
                CASE WHEN n %% 3 > 0 THEN 'd-' || n || '-' || id END,
                '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m-' || n || '"}}}',
                90, 100, now() + n * interval '1 us', 0
            FROM unnest('{%1$s}'::uuid[]) AS target (id), generate_series(1, %2$d) AS n;
            UPDATE activity_feeds SET last_seq = %2$d, last_created_at = now() WHERE workspace_id = ANY ('{%1$s}');
            INSERT INTO deliveries (workspace_id, seq, sender_id, kind, queued, depth, priority, enqueued_at, due_at,
                expires_at)
            SELECT workspace_id, seq, source_id, ('{message,delegation,result}'::text[])[seq %% 3 + 1], true, 1, 50, now(),
                now(), now() + interval '1 hour'
            FROM activity_logs WHERE workspace_id = ANY ('{%1$s}')
            """
                .formatted(ids, SENDERS));
  }

  /** A busy database may refuse a heartbeat; nothing is delivered to an agent without one. */
  private static boolean isAlive(TestServer server, Agent target) {
    return server.client().heartbeat(target).status() == 200;
  }

  @Test
  void theQueueOfOthersGoesOnWhileMoreHangThanMayBegin() throws IOException {
    try (TestServer server = TestServer.start("AGENT_URL_ALLOW=loopback");
        TestPeer hung = TestPeer.start().usually(PeerBehavior.silence());
        TestPeer healthy = TestPeer.start().usually(PeerBehavior.echo())) {
      TestQueue queue = TestQueue.of(server);
      List<Agent> silent =
          Stream.generate(() -> queue.target(hung.url(), SENDERS)).limit(HUNG).toList();
      Agent answering = queue.target(healthy.url(), 1);
      queue(server, silent);
      silent.forEach(target -> await().until(() -> isAlive(server, target)));
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(Integer.parseInt(server.database().value(DELIVERING)))
                  .isGreaterThan(AttemptPermits.MAX_CONCURRENT));

      queue.put(answering);
      server.client().heartbeat(answering);

      assertThat(healthy.awaitDeliveries(1)).hasSize(1);

      retryOne(server, queue, answering);

      assertThat(healthy.awaitDeliveries(2)).hasSize(2);

      delegate(server, healthy, answering);

      // the delegation, and its result
      assertThat(healthy.awaitDeliveries(4)).hasSize(4);
      // a claimed message is on its way to its agent
      await()
          .untilAsserted(() ->
              assertThat(hung.openConnections()).isGreaterThan(AttemptPermits.MAX_CONCURRENT));
    }
  }

  /** Queues a message that is not due for long, and lets an operator retry it. */
  private static void retryOne(TestServer server, TestQueue queue, Agent target) {
    report(server, target, 1);
    Queued later = queue.put(target);
    queue.set(later, "due_at = now() + interval '1 hour'");
    report(server, target, 0);
    Answer answer =
        server
            .client()
            .patient()
            .post("/admin/a2a-queue/" + later.id() + "/retry", ADMIN_TOKEN, "");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  /** Delegates to the target; the agent that gets the result is called at the same peer. */
  private static void delegate(TestServer server, TestPeer peer, Agent target) {
    Agent caller =
        server
            .client()
            .createOnline(
                "Caller",
                "\"delivery_mode\":\"push\"",
                "\"url\":\"" + peer.url() + "\"",
                "\"parent_id\":\"" + target.id() + "\"");
    Answer answer =
        server
            .client()
            .patient()
            .post(
                "/workspaces/" + caller.id() + "/delegate",
                caller.token(),
                "{\"target_id\":\"%s\",\"task\":\"look\",\"idempotency_key\":\"one\"}"
                    .formatted(target.id()));
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
  }

  /** On a small heap fewer attempts may run than there are agents that hang. */
  @Test
  void agentsThatAnsweredGetMessagesWhileOthersHoldAllOtherPermits() throws IOException {
    try (TestServer server = TestServer.start("AGENT_URL_ALLOW=loopback");
        TestPeer unknown = TestPeer.start().usually(PeerBehavior.echo());
        TestPeer healthy = TestPeer.start().usually(PeerBehavior.echo())) {
      TestQueue queue = TestQueue.of(server);
      Agent answering = queue.target(healthy.url(), 1);
      Agent notCalledYet = queue.target(unknown.url(), 1);
      deliver(server, queue, answering);
      assertThat(healthy.awaitDeliveries(1)).hasSize(1);
      AttemptPermits permits = server.bean(AttemptPermits.class);
      await().until(() -> permits.hasAnswered(answering.id()));
      List<Permit> hung = new ArrayList<>();
      await()
          .until(() -> {
            for (int n = permits.freeForOthers(); n > 0; n--) {
              hung.add(permits.begin(UUID.randomUUID()));
            }
            return permits.freeForOthers() == 0 && permits.free() > 0;
          });

      deliver(server, queue, notCalledYet);
      deliver(server, queue, answering);

      assertThat(healthy.awaitDeliveries(2)).hasSize(2);
      assertThat(unknown.deliveries()).isEmpty();
      hung.forEach(permit -> permit.release(Reaction.TIMED_OUT));
      assertThat(unknown.awaitDeliveries(1)).hasSize(1);
    }
  }

  /** Queues a message while the target is at capacity, and then lets it have capacity. */
  private static void deliver(TestServer server, TestQueue queue, Agent target) {
    report(server, target, 1);
    queue.put(target);
    report(server, target, 0);
  }

  private static void report(TestServer server, Agent target, int activeTasks) {
    String body =
        "{\"workspace_id\":\"%s\",\"active_tasks\":%d}".formatted(target.id(), activeTasks);
    server.client().patient().post("/registry/heartbeat", target.token(), body);
  }
}

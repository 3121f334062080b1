package dev.muster.a2a.queue;

import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionTemplate;

/** The queue of a server, with words for what tests do to it. */
record TestLine(TestServer server) {

  static final Duration PATIENCE = Duration.ofSeconds(30);

  /** A push agent that has not beaten yet: what is put into its line stays there. */
  Agent target(int maxConcurrentTasks) {
    return server
        .client()
        .create(
            "target",
            "\"delivery_mode\":\"push\"",
            "\"url\":\"http://127.0.0.1:9/\"",
            "\"max_concurrent_tasks\":" + maxConcurrentTasks);
  }

  UUID put(Agent to, @Nullable UUID sender, int priority) {
    return put(new NewQueued(UUID.randomUUID(), to.id(), sender, priority, Duration.ofDays(1)))
        .queueId();
  }

  Enqueued put(NewQueued message) {
    return server
        .bean(TransactionTemplate.class)
        .execute(status -> queue().enqueueAll(List.of(message)).getFirst());
  }

  MessageQueue queue() {
    return server.bean(MessageQueue.class);
  }

  /** An SQL expression of a row. */
  String of(UUID queueId, String expression) {
    return server
        .database()
        .value("SELECT " + expression + " FROM a2a_queue WHERE queue_id = '" + queueId + "'");
  }

  void set(UUID queueId, String assignments) {
    server
        .database()
        .execute("UPDATE a2a_queue SET " + assignments + " WHERE queue_id = '" + queueId + "'");
  }

  void awaitState(UUID queueId, String state) {
    Awaitility.await("until " + state)
        .atMost(PATIENCE)
        .until(() -> of(queueId, "state").equals(state));
  }

  void pass() {
    server.bean(QueuePass.class).run();
  }
}

package dev.muster.message.feed;

import static dev.muster.testing.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.message.AppendResult;
import dev.muster.message.NewActivity;
import dev.muster.message.store.MessageStore;
import dev.muster.platform.problem.DatabaseOutage;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.MessageContent;
import dev.muster.testing.MachinePauses;
import dev.muster.testing.OtherPrograms;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.transaction.support.TransactionTemplate;

/** A feed whose row is always locked: large transactions take the lock one after another. */
@Slow
@Timeout(60)
class ContendedFeedTest {

  private static final int HOLDERS = 4;
  private static final int ROWS = 20;
  private static final int CROWD = 32;
  private static final int FEW_CONNECTIONS = 4;
  private static final int LARGE = 300 * 1024;

  /** The 5 s of R0.6, and a margin for the many threads of the test. */
  private static final Duration IN_TIME = Duration.ofMillis(5500);

  /** The limit when other programs use the processors. */
  private static final Duration IN_SHARED_TIME = Duration.ofSeconds(15);

  private static final long HELD_FOR_NANOS = Duration.ofMillis(5).toNanos();

  @Test
  void storesRowsOfGroupCommitsToo() throws Exception {
    TestServer server = TestServer.shared();
    MessageStore store = server.bean(MessageStore.class);
    TransactionTemplate transactions = server.bean(TransactionTemplate.class);
    TestFeed feed = TestFeed.create("Contended");
    NewActivity row =
        NewActivity.inbound(
            feed.id(), null, "tasks/get", "again", new RawJson("{}"), MessageContent.EMPTY, null);
    AtomicBoolean over = new AtomicBoolean();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> holders = new ArrayList<>();
      for (int i = 0; i < HOLDERS; i++) {
        holders.add(
            threads.submit(() -> {
              while (!over.get()) {
                hold(transactions, () -> store.appendAll(List.of(row)));
              }
            }));
      }
      try {
        int refused = 0;
        for (int stored = 0; stored < ROWS; ) {
          try {
            assertThat(store.append(row)).isInstanceOf(AppendResult.Stored.class);
            stored++;
          } catch (ProblemException slow) {
            assertThat(slow.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            refused++;
          }
          assertThat(refused).as("refused while the machine paused").isLessThan(3);
        }
      } finally {
        over.set(true);
      }
      for (Future<?> holder : holders) {
        holder.get();
      }
    }
  }

  private static void hold(TransactionTemplate transactions, Runnable work) {
    try {
      transactions.executeWithoutResult(_ -> {
        work.run();
        LockSupport.parkNanos(HELD_FOR_NANOS);
      });
    } catch (RuntimeException e) {
      // a pause of the machine may end it; it is only load
      assertThat(DatabaseOutage.isCauseOf(e)).as(e.toString()).isTrue();
    }
  }

  /**
   * Single appends wait for a slot, a connection and the feed, one after another; all fail in time.
   */
  @Test
  void refusesAllAppendsInTimeWhileTheFeedIsLocked() throws Exception {
    try (TestServer server =
            TestServer.start("spring.datasource.hikari.maximum-pool-size=" + FEW_CONNECTIONS);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        MachinePauses pauses = new MachinePauses();
        Connection other = server.database().connect();
        Statement statement = other.createStatement()) {
      Agent agent = server.client().create("Locked");
      other.setAutoCommit(false);
      statement.execute(
          "SELECT FROM activity_feeds WHERE workspace_id = '" + agent.id() + "' FOR UPDATE");

      OtherPrograms others = new OtherPrograms();
      List<Future<Duration>> refusals = new ArrayList<>();
      for (int i = 0; i < CROWD; i++) {
        String summary = i % 2 == 0 ? "small" : "large";
        String body = i % 2 == 0 ? "" : ",\"request_body\":\"" + "x".repeat(LARGE) + "\"";
        refusals.add(threads.submit(() -> refusal(server, agent, summary, body)));
      }

      List<Duration> times = new ArrayList<>();
      for (Future<Duration> refusal : refusals) {
        times.add(refusal.get());
      }
      Duration limit = others.usedMuch() ? IN_SHARED_TIME : IN_TIME;
      assertThat(Collections.max(times)).isLessThan(limit.plus(pauses.longest()));
      other.rollback();
      // Attempts that were given up leave no usable connection; others take their place first.
      await().until(() -> report(server, agent, "free again", "").status() == 200);
    }
  }

  private static Duration refusal(TestServer server, Agent agent, String summary, String more) {
    long start = System.nanoTime();
    assertRefused(report(server, agent, summary, more), 503, "UNAVAILABLE");
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private static Answer report(TestServer server, Agent agent, String summary, String more) {
    return server
        .client()
        .post(
            "/workspaces/" + agent.id() + "/activity",
            agent.token(),
            "{\"activity_type\":\"agent_log\",\"summary\":\"" + summary + "\"" + more + "}");
  }
}

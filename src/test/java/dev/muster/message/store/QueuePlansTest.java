package dev.muster.message.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.CanvasMessages;
import dev.muster.message.queue.TestQueue;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What the statements read that run all the time, when queues have become deep since PostgreSQL
 * counted the rows last: an index that was empty then looks as if it still were. Each test is a
 * transaction that is undone.
 */
@Slow
class QueuePlansTest {

  private static final int TARGETS = 50;
  private static final int FEW = 50;
  private static final int MANY = 900;
  private static final int STORED = 20;

  private static final TestServer SERVER =
      TestServer.startWithoutSweeps("AGENT_URL_ALLOW=loopback");
  private static final JdbcClient db = SERVER.bean(JdbcClient.class);
  private static final TestQueue QUEUE = TestQueue.of(SERVER);

  private static final List<Agent> BUSY = Stream.generate(() -> QUEUE.target(1)).limit(3).toList();
  private static final List<UUID> IDS = BUSY.stream().map(Agent::id).toList();
  private static final List<UUID> OTHERS =
      Stream.generate(UUID::randomUUID).limit(TARGETS - BUSY.size()).toList();

  @BeforeAll
  static void countWithoutAQueue() {
    SERVER.database().execute("ALTER TABLE deliveries SET (autovacuum_enabled = off)");
    long _ =
        inTransaction(
            false,
            () -> {
              fill(IDS, 1, MANY);
              fill(OTHERS, 1, MANY);
              return db.sql("DELETE FROM deliveries").update();
            });
    SERVER.database().execute("VACUUM ANALYZE deliveries");
    assertThat(
            SERVER
                .database()
                .value("SELECT reltuples FROM pg_class WHERE relname = 'deliveries_queue'"))
        .isEqualTo("0");
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @Test
  void theLookAtAllTargetsReadsTheFirstMessageOfEach() {
    WaitingTargets waiting = SERVER.bean(WaitingTargets.class);
    long read =
        undone(() -> {
          fill(IDS, 1, MANY);
          fill(OTHERS, 1, MANY);
          return rowsReadBy(() -> assertThat(waiting.all()).hasSize(TARGETS));
        });
    assertThat(read).isBetween((long) TARGETS, 10L * TARGETS);
  }

  @Test
  void theClaimReadsNothingThatWaitsForAgentsWithoutAFreeSlot() {
    BUSY.forEach(agent -> SERVER.client().heartbeat(agent, "\"active_tasks\":1"));
    QueueRepository repository = SERVER.bean(QueueRepository.class);
    DeliveryClaim claim = new DeliveryClaim(UUID.randomUUID(), 1);
    long read =
        undone(() -> {
          fill(IDS, 1, MANY);
          return rowsReadBy(() -> {
            assertThat(repository.canTake(IDS, _ -> MANY)).isEmpty();
            assertThat(repository.claim(IDS, _ -> MANY, claim, MANY)).isEmpty();
          });
        });
    assertThat(read).isLessThan(MANY);
  }

  /** By the plan that was made while few waited. */
  @Test
  void whatIsStoredReadsNotAllThatWaitBeforeIt() {
    long read =
        undone(() -> {
          fill(IDS, 1, FEW);
          fill(OTHERS, 1, FEW);
          store();
          fill(IDS, FEW + 1, MANY);
          return rowsReadBy(QueuePlansTest::store);
        });
    assertThat(read).isLessThan((long) STORED * BUSY.size() * MANY / 4);
  }

  private static void store() {
    CanvasMessages messages = SERVER.bean(CanvasMessages.class);
    for (int i = 0; i < STORED; i++) {
      String id = UUID.randomUUID().toString();
      assertThat(messages.send(IDS, id, "Hello.", "Ada", Instant.now())).hasSize(BUSY.size());
    }
  }

  private interface Work {
    long run();
  }

  private static long undone(Work work) {
    return inTransaction(true, work);
  }

  private static long inTransaction(boolean isUndone, Work work) {
    TransactionTemplate transactions =
        new TransactionTemplate(SERVER.bean(PlatformTransactionManager.class));
    transactions.setTimeout(60);
    return transactions.execute(transaction -> {
      if (isUndone) {
        transaction.setRollbackOnly();
      }
      db.sql("SET LOCAL statement_timeout = '60s'").update();
      return work.run();
    });
  }

  private static void fill(List<UUID> targets, int from, int to) {
    db.sql(
            """
            INSERT INTO deliveries (
                workspace_id, seq, sender_id, kind, queued, depth, priority, enqueued_at, due_at, expires_at)
            SELECT id, -n, md5('sends' || n % 7)::uuid, 'message', true, n, 50, now(), now(), now() + interval '1 hour'
            FROM unnest(:targets::uuid[]) AS target (id) CROSS JOIN generate_series(:from, :to) AS n
            """)
        .param("targets", targets.toArray(UUID[]::new))
        .param("from", from)
        .param("to", to)
        .update();
  }

  /** Returns how many deliveries this transaction has read for it. */
  private static long rowsReadBy(Runnable statements) {
    long before = rowsRead();
    statements.run();
    return rowsRead() - before;
  }

  private static long rowsRead() {
    return db.sql(
            """
            SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'deliveries'
            """)
        .query(Long.class)
        .single();
  }
}

package dev.muster.message.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.store.WaitingTargets.WaitedFor;
import dev.muster.testing.Slow;
import dev.muster.testing.TestServer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** What the query that each replica makes once a second costs while deep queues wait. */
@Slow
class WaitingTargetsTest {

  private static final TestServer SERVER = TestServer.shared();

  /** A scan would be one for each target, of all that wait for the others. */
  @Test
  void findsWhatWaitsForATargetByTheIndex() {
    JdbcClient db = SERVER.bean(JdbcClient.class);

    List<WaitedFor> found =
        SERVER
            .bean(TransactionTemplate.class)
            .execute(transaction -> {
              transaction.setRollbackOnly();
              fill(db, 50, 900);
              long before = scans(db);
              List<WaitedFor> targets = SERVER.bean(WaitingTargets.class).all().toList();
              assertThat(scans(db)).isEqualTo(before);
              return targets;
            });

    assertThat(found).hasSizeGreaterThanOrEqualTo(50);
  }

  private static void fill(JdbcClient db, int targets, int messages) {
    db.sql(
            """
            INSERT INTO deliveries (
                workspace_id, seq, sender_id, kind, queued, depth, priority, enqueued_at, due_at, expires_at)
            SELECT md5('waits' || n % :targets)::uuid, n, md5('sends' || n % 7)::uuid, 'message', true, 0, 50, now(), now(),
                now() + interval '1 hour'
            FROM generate_series(1, :targets * :messages) AS n
            """)
        .param("targets", targets)
        .param("messages", messages)
        .update();
    db.sql("ANALYZE deliveries").update();
  }

  /** Returns how often this transaction has scanned the table. */
  private static long scans(JdbcClient db) {
    return db.sql("SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'deliveries'")
        .query(Long.class)
        .single();
  }
}

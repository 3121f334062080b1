package dev.muster.activity;

import dev.muster.platform.problem.ProblemException;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Stores how far each agent has acknowledged its feed (R6.7); the number never decreases. */
@Repository
class Acknowledgements {

  private static final String RECORD =
      """
      UPDATE activity_feeds SET last_acked_seq = :seq
      WHERE workspace_id = :workspace_id AND last_acked_seq < :seq AND last_seq >= :seq
      RETURNING last_acked_seq
      """;

  private static final String SEQS =
      "SELECT last_seq, last_acked_seq FROM activity_feeds WHERE workspace_id = :workspace_id";

  private final JdbcClient db;

  Acknowledgements(JdbcClient db) {
    this.db = db;
  }

  /**
   * Raises the acknowledged {@code seq} and returns the stored one. Throws {@code
   * VALIDATION_FAILED} for a {@code seq} above the feed's last.
   */
  long record(UUID workspaceId, long seq) {
    return db.sql(RECORD)
        .param("workspace_id", workspaceId)
        .param("seq", seq)
        .query(Long.class)
        .optional()
        .orElseGet(() -> unmoved(workspaceId, seq));
  }

  private long unmoved(UUID workspaceId, long seq) {
    return db.sql(SEQS)
        .param("workspace_id", workspaceId)
        .query((row, n) -> {
          if (seq > row.getLong("last_seq")) {
            throw ProblemException.validation(
                "acked_seq: "
                    + seq
                    + " (expected: at most the feed's last seq, "
                    + row.getLong("last_seq")
                    + ")");
          }
          return row.getLong("last_acked_seq");
        })
        .single();
  }
}

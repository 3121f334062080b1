package dev.muster.runtime;

import dev.muster.platform.postgres.BatchColumns;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Stores the kept ends of the output of runs. */
@Repository
class OutputRepository {

  /** One stored piece of output. */
  record Written(long runSeq, boolean isError, String text) {}

  private static final BatchColumns<OutputPiece> ENDS_OF_PIECES =
      BatchColumns.<OutputPiece>none()
          .uuid("workspace_id", OutputPiece::workspaceId)
          .bigint("run_seq", OutputPiece::runSeq)
          .flag("is_error", OutputPiece::isError)
          .bigint("ends_at", OutputPiece::endsAt);

  private static final BatchColumns<OutputPiece> COLUMNS =
      ENDS_OF_PIECES.text("piece", OutputPiece::text);

  private static final String INSERT =
      """
      INSERT INTO runtime_output ({NAMES})
      SELECT * FROM {ROWS}
      """
          .replace("{ROWS}", COLUMNS.unnest())
          .replace("{NAMES}", COLUMNS.names());

  private static final String DELETE_OVERTAKEN =
      """
      DELETE FROM runtime_output o
      USING {ROWS} AS stream ({NAMES})
      WHERE o.workspace_id = stream.workspace_id
          AND o.run_seq = stream.run_seq
          AND o.is_error = stream.is_error
          AND o.ends_at <= stream.ends_at - ?
      """
          .replace("{ROWS}", ENDS_OF_PIECES.unnest())
          .replace("{NAMES}", ENDS_OF_PIECES.names());

  private static final String ENDS =
      """
      SELECT o.run_seq, o.is_error, o.piece
      FROM runtime_runs r JOIN runtime_output o ON o.workspace_id = r.workspace_id AND o.run_seq = r.first_seq
      WHERE r.workspace_id = :workspace_id AND r.first_seq = ANY (:runs)
          AND o.ends_at > CASE WHEN o.is_error THEN r.stderr_bytes ELSE r.stdout_bytes END - :max_kept
      ORDER BY o.run_seq, o.is_error, o.ends_at
      """;

  private final JdbcClient db;
  private final JdbcTemplate batches;

  OutputRepository(JdbcClient db, JdbcTemplate batches) {
    this.db = db;
    this.batches = batches;
  }

  void insert(List<OutputPiece> pieces) {
    batches.update(
        INSERT,
        (PreparedStatement statement) -> {
          int _ = COLUMNS.bind(statement, 1, pieces);
        });
  }

  /** Deletes pieces that end {@code MAX_KEPT_BYTES} or more before these; no read returns them. */
  void deleteEvictedBy(List<OutputPiece> pieces) {
    batches.update(
        DELETE_OVERTAKEN,
        (PreparedStatement statement) -> {
          int next = ENDS_OF_PIECES.bind(statement, 1, pieces);
          statement.setLong(next, OutputPiece.MAX_KEPT_BYTES);
        });
  }

  /** Returns the pieces of the runs' kept output; the first may begin before the kept range. */
  List<Written> endsOf(UUID workspaceId, List<Long> runSeqs) {
    return db.sql(ENDS)
        .param("workspace_id", workspaceId)
        .param("runs", runSeqs.toArray(Long[]::new))
        .param("max_kept", OutputPiece.MAX_KEPT_BYTES)
        .query((row, n) ->
            new Written(row.getLong("run_seq"), row.getBoolean("is_error"), row.getString("piece")))
        .list();
  }
}

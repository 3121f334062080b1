package dev.muster.identity;

import dev.muster.platform.http.Page;
import dev.muster.platform.http.PageCursor;
import dev.muster.platform.postgres.Timestamps;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Stores the audit of changes by the admin and operators (R1.7). */
@Repository
class AuditRepository {

  /** A request's audit row before it is stored. {@code targets} may grow until then. */
  record Action(
      UUID id,
      String who,
      String role,
      @Nullable UUID credentialId,
      String action,
      Set<String> targets,
      String requestId) {}

  /** An audit row as a client reads it. */
  record Entry(
      Instant at,
      String who,
      String role,
      String action,
      List<String> targets,
      String outcome,
      String requestId) {}

  private record Row(UUID id, Entry entry) {}

  /** The caller may repeat it after an unknown commit outcome: ON CONFLICT skips a stored row. */
  private static final String INSERT =
      """
      INSERT INTO operator_actions (id, at, who, role, credential_id, action, targets, outcome, request_id)
      VALUES (:id, statement_timestamp(), :who, :role, :credential_id, :action, :targets, 'done', :request_id)
      ON CONFLICT (id) DO NOTHING
      """;

  private static final String NOTE_REFUSAL =
      "UPDATE operator_actions SET outcome = 'refused' WHERE id = :id";

  private static final String NEWEST_FIRST =
      """
      SELECT id, at, who, role, action, targets, outcome, request_id FROM operator_actions
      WHERE (at, id) < (:at, :id) ORDER BY at DESC, id DESC LIMIT :most
      """;

  private static final String DELETE_OLD =
      """
      DELETE FROM operator_actions WHERE id IN (
          SELECT id FROM operator_actions WHERE at < statement_timestamp() - interval '90 days' ORDER BY at LIMIT :most)
      """;

  private final JdbcClient db;

  AuditRepository(JdbcClient db) {
    this.db = db;
  }

  void insert(Action action) {
    db.sql(INSERT)
        .param("id", action.id())
        .param("who", action.who())
        .param("role", action.role())
        .param("credential_id", action.credentialId(), java.sql.Types.OTHER)
        .param("action", action.action())
        .param("targets", action.targets().toArray(String[]::new))
        .param("request_id", action.requestId())
        .update();
  }

  void noteRefusal(UUID id) {
    db.sql(NOTE_REFUSAL).param("id", id).update();
  }

  Page<Entry> page(PageCursor after, int limit) {
    PageCursor before = after.equals(PageCursor.START) ? PageCursor.END : after;
    List<Row> rows =
        db.sql(NEWEST_FIRST)
            .param("at", Timestamps.utc(before.createdAt()))
            .param("id", before.id())
            .param("most", limit + 1)
            .query((row, n) ->
                new Row(
                    row.getObject("id", UUID.class),
                    new Entry(
                        Timestamps.instant(row, "at"),
                        row.getString("who"),
                        row.getString("role"),
                        row.getString("action"),
                        Arrays.asList((String[]) row.getArray("targets").getArray()),
                        row.getString("outcome"),
                        row.getString("request_id"))))
            .list();
    Page<Row> page = Page.of(rows, limit, last -> new PageCursor(last.entry().at(), last.id()));
    return new Page<>(page.items().stream().map(Row::entry).toList(), page.next());
  }

  int deleteOld(int most) {
    return db.sql(DELETE_OLD).param("most", most).update();
  }
}

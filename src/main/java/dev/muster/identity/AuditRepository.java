package dev.muster.identity;

import dev.muster.platform.http.Page;
import dev.muster.platform.http.PageCursor;
import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.postgres.StablePlans;
import dev.muster.platform.postgres.Timestamps;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
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
      String requestId,
      @Nullable String detail) {

    Action with(@Nullable String detail) {
      return new Action(id, who, role, credentialId, action, targets, requestId, detail);
    }
  }

  /** An audit row as a client reads it. */
  record Entry(
      Instant at,
      String who,
      String role,
      String action,
      List<String> targets,
      String outcome,
      String requestId,
      @Nullable String detail) {}

  private record Row(UUID id, long number, boolean isWanted, Entry entry) {

    PageCursor place() {
      return new PageCursor(entry.at(), id);
    }
  }

  /** An action and its targets as the text of an array. */
  private record NewRow(Action action, String targets) {}

  private static final BatchColumns<NewRow> COLUMNS =
      BatchColumns.<NewRow>none()
          .uuid("id", row -> row.action().id())
          .text("who", row -> row.action().who())
          .text("role", row -> row.action().role())
          .uuid("credential_id", row -> row.action().credentialId())
          .text("action", row -> row.action().action())
          .text("targets", NewRow::targets)
          .text("request_id", row -> row.action().requestId())
          .text("detail", row -> row.action().detail());

  /** The caller may repeat it after an unknown commit outcome: ON CONFLICT skips a stored row. */
  private static final String INSERT =
      StablePlans.ofNoTable(
          """
          INSERT INTO operator_actions (id, at, who, role, credential_id, action, targets, outcome, request_id, detail)
          SELECT id, statement_timestamp(), who, role, credential_id, action, targets::text[], 'done', request_id, detail
          FROM {ROWS} AS new ({NAMES})
          ON CONFLICT (id) DO NOTHING
          """
              .replace("{ROWS}", COLUMNS.unnest())
              .replace("{NAMES}", COLUMNS.names()));

  private static final String NOTE_REFUSAL =
      "UPDATE operator_actions SET outcome = 'refused' WHERE id = :id";

  private static final String SET_DETAIL =
      "UPDATE operator_actions SET detail = :detail WHERE id = :id";

  /**
   * The rows that one page scans. A page of a filter with few matches ends after them, with a
   * cursor to continue.
   */
  static final int MAX_SCANNED = 5000;

  /**
   * Includes the last row of a full scan even if it does not match, because the next page continues
   * there.
   */
  static final String NEWEST_FIRST =
      """
      SELECT * FROM (
          SELECT id, at, who, role, action, targets, outcome, request_id, detail,
              row_number() OVER (ORDER BY at DESC, id DESC) AS number,
              (:who = '' OR strpos(lower(who), lower(:who)) > 0)
                  AND (:action = '' OR strpos(lower(action), lower(:action)) > 0)
                  AND (:target = '' OR :target = ANY (targets))
                  AND (:outcome = '' OR outcome = :outcome) AS wanted
          FROM operator_actions
          WHERE (at, id) < (:at, :id) AND at >= :after
          ORDER BY at DESC, id DESC LIMIT :scanned) AS looked_at
      WHERE wanted OR number = :scanned
      ORDER BY at DESC, id DESC LIMIT :most
      """;

  private static final String DELETE_OLD =
      """
      DELETE FROM operator_actions WHERE id IN (
          SELECT id FROM operator_actions WHERE at < statement_timestamp() - interval '90 days' ORDER BY at, id
          LIMIT :most OFFSET :passed_over)
      """;

  private final JdbcClient db;

  AuditRepository(JdbcClient db) {
    this.db = db;
  }

  /** Inserts all with one statement, in the transaction of {@code statements}. */
  void insert(JdbcTemplate statements, List<Action> actions) {
    statements.update(INSERT, (PreparedStatement statement) -> bind(statement, actions));
  }

  private static void bind(PreparedStatement statement, List<Action> actions) throws SQLException {
    List<NewRow> rows = new ArrayList<>();
    for (Action action : actions) {
      Object[] ids = action.targets().toArray();
      rows.add(new NewRow(action, statement.getConnection().createArrayOf("text", ids).toString()));
    }
    int _ = COLUMNS.bind(statement, 1, rows);
  }

  void setDetail(UUID id, String detail) {
    db.sql(SET_DETAIL).param("id", id).param("detail", detail).update();
  }

  void noteRefusal(UUID id) {
    db.sql(NOTE_REFUSAL).param("id", id).update();
  }

  /**
   * Returns at most {@code limit} rows after a place. A page with fewer rows is the last one only
   * if it has no next.
   */
  Page<Entry> page(AuditController.Filter filter, PageCursor after, int limit) {
    PageCursor place = first(filter, after);
    List<Row> rows =
        db.sql(NEWEST_FIRST)
            .param("who", filter.who())
            .param("action", filter.action())
            .param("target", filter.target())
            .param("outcome", filter.outcome().map(AuditController.Outcome::wire).orElse(""))
            .param("after", Timestamps.utc(filter.after().orElse(Instant.EPOCH)))
            .param("at", Timestamps.utc(place.createdAt()))
            .param("id", place.id())
            .param("scanned", MAX_SCANNED)
            .param("most", limit + 1)
            .query((row, n) -> row(row))
            .list();
    List<Row> wanted = rows.stream().filter(Row::isWanted).limit(limit).toList();
    @Nullable PageCursor next = null;
    if (rows.size() > wanted.size()
        || (!rows.isEmpty() && rows.getLast().number() == MAX_SCANNED)) {
      next = (wanted.size() == limit ? wanted.getLast() : rows.getLast()).place();
    }
    return new Page<>(wanted.stream().map(Row::entry).toList(), next);
  }

  /**
   * Returns the place before which rows are listed: that of the page, or that of the filter on the
   * first page.
   */
  private static PageCursor first(AuditController.Filter filter, PageCursor after) {
    if (!after.equals(PageCursor.START)) {
      return after;
    }
    return filter
        .before()
        .map(before -> new PageCursor(before, new UUID(0, 0)))
        .orElse(PageCursor.END);
  }

  private static Row row(ResultSet row) throws SQLException {
    return new Row(
        row.getObject("id", UUID.class),
        row.getLong("number"),
        row.getBoolean("wanted"),
        new Entry(
            Timestamps.instant(row, "at"),
            row.getString("who"),
            row.getString("role"),
            row.getString("action"),
            Arrays.asList((String[]) row.getArray("targets").getArray()),
            row.getString("outcome"),
            row.getString("request_id"),
            row.getString("detail")));
  }

  int deleteOld(int most, int passedOver) {
    return db.sql(DELETE_OLD).param("most", most).param("passed_over", passedOver).update();
  }
}

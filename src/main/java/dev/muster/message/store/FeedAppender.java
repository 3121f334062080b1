package dev.muster.message.store;

import dev.muster.message.AppendResult;
import dev.muster.message.AppendResult.NotFree;
import dev.muster.message.AppendResult.OtherContent;
import dev.muster.message.AppendResult.Outdated;
import dev.muster.message.AppendResult.QueueFull;
import dev.muster.message.AppendResult.Repeated;
import dev.muster.message.AppendResult.Stored;
import dev.muster.message.NewActivity;
import dev.muster.message.RowId;
import dev.muster.message.store.FeedNotifier.StoredRow;
import dev.muster.message.store.MessageAdmission.Way;
import dev.muster.platform.postgres.AfterCommit;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.SqlArrayValue;
import org.springframework.stereotype.Component;

/** Appends rows in the caller's transaction, and waits for locked feeds. */
@Component
class FeedAppender {

  private static final String LOCK =
      """
      SELECT FROM activity_feeds WHERE workspace_id = ANY (?) ORDER BY workspace_id FOR NO KEY UPDATE
      """;

  private static final String LOCK_SKIPPING_LOCKED =
      """
      SELECT workspace_id FROM activity_feeds WHERE workspace_id = ANY (?)
      ORDER BY workspace_id FOR NO KEY UPDATE SKIP LOCKED
      """;

  private static final String MOVE_VERSION =
      "UPDATE activity_feeds SET version = version + 1 WHERE workspace_id = ?";

  /** The result of {@link AppendStatement} for one row. */
  sealed interface AppendDecision {

    record Final(AppendResult appended) implements AppendDecision {}

    /** Another transaction holds the feed head, or has changed it since the statement began. */
    record Busy() implements AppendDecision {}

    /** The feed seems full; the caller must count its unread rows again. */
    record SeemsFull() implements AppendDecision {}

    /** Reads one row of the statement's result. */
    static AppendDecision of(UUID workspaceId, ResultSet row) throws SQLException {
      String decision = row.getString("decision");
      return switch (decision) {
        case "stored" ->
            new Final(
                new Stored(
                    id(workspaceId, row),
                    row.getLong("seq"),
                    row.getInt("depth"),
                    row.getObject("idle_timeout_seconds", Integer.class)));
        case "repeated" -> new Final(new Repeated(id(workspaceId, row), row.getLong("seq")));
        case "other content" -> new Final(new OtherContent());
        case "outdated" -> new Final(new Outdated());
        case "not free" -> new Final(new NotFree());
        case "queue full" -> new Final(new QueueFull());
        case "seems full" -> new SeemsFull();
        case "busy" -> new Busy();
        default -> throw new IllegalStateException(decision + " is not a result of the statement");
      };
    }

    private static UUID id(UUID workspaceId, ResultSet row) throws SQLException {
      return RowId.of(workspaceId, row.getLong("seq"), Timestamps.instant(row, "created_at"));
    }
  }

  private final JdbcTemplate db;
  private final AppendStatement statement;
  private final FeedQuota quota;
  private final FeedNotifier notifier;

  FeedAppender(JdbcTemplate db, AppendStatement statement, FeedQuota quota, FeedNotifier notifier) {
    this.db = db;
    this.statement = statement;
    this.quota = quota;
    this.notifier = notifier;
  }

  /**
   * Locks the heads of these feeds until the transaction ends. The id order is common to all
   * transactions that lock heads, which avoids deadlocks.
   */
  void lock(Set<UUID> workspaceIds) {
    db.query(LOCK, (row, n) -> n, new SqlArrayValue("uuid", workspaceIds.toArray()));
  }

  /** Locks as {@link #lock}, without those that are locked; returns the ids of the others. */
  List<UUID> lockSkippingLocked(Collection<UUID> workspaceIds) {
    return db.query(
        LOCK_SKIPPING_LOCKED,
        (row, n) -> row.getObject("workspace_id", UUID.class),
        new SqlArrayValue("uuid", workspaceIds.toArray()));
  }

  void moveVersion(UUID workspaceId) {
    db.update(MOVE_VERSION, workspaceId);
  }

  List<AppendResult> append(List<NewActivity> rows) {
    Set<UUID> feeds =
        rows.stream().map(NewActivity::workspaceId).collect(Collectors.toCollection(TreeSet::new));
    lock(feeds);
    List<AppendDecision> decisions = statement.run(db, rows);
    List<AppendResult> appended = new ArrayList<>(rows.size());
    List<StoredRow> stored = new ArrayList<>(rows.size());
    for (int i = 0; i < rows.size(); i++) {
      appended.add(appended(rows.get(i), decisions.get(i)));
      if (appended.getLast() instanceof AppendResult.Stored as) {
        stored.add(new StoredRow(rows.get(i), as));
      }
    }
    AfterCommit.run(() -> notifier.appended(stored));
    return appended;
  }

  private AppendResult appended(NewActivity row, AppendDecision decision) {
    return switch (decision) {
      case AppendDecision.Final(AppendResult result) -> result;
      case AppendDecision.SeemsFull() -> appendedAfterRecount(row);
      case AppendDecision.Busy() -> withoutFeed(row);
    };
  }

  /** The feed is locked, so it is not busy: there is none. Nobody asks what waits for its agent. */
  private static AppendResult withoutFeed(NewActivity row) {
    if (row.admission() != null && row.admission().way() == Way.WAIT) {
      return new AppendResult.Outdated();
    }
    throw new ProblemException(
        ErrorCode.WORKSPACE_NOT_FOUND, "there is no workspace " + row.workspaceId());
  }

  private AppendResult appendedAfterRecount(NewActivity row) {
    quota.recount(row.workspaceId());
    return statement.run(db, List.of(row)).getFirst()
            instanceof AppendDecision.Final(AppendResult result)
        ? result
        : quota.full(row.workspaceId());
  }
}

package dev.muster.delegation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestDatabases.TestDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;

/**
 * Compares the recorded events and the callers' inboxes with the ledger. Every delegation followed
 * the life cycle of R8.1, ended once, and its caller was notified once (R8.7).
 */
final class LedgerLog {

  /** Begins a reply that may end a delegation; reports begin otherwise. */
  static final String REPLY = "reply ";

  private record Row(
      String status, String text, Instant deadline, int retries, boolean callerStays) {}

  private record Event(DelegationStatus status, boolean isStuck, String text, Instant at) {}

  private record InboxRow(String text, boolean isResult) {}

  private static final String EVENTS =
      """
      SELECT payload ->> 'delegation_id', CASE event_type
              WHEN 'DELEGATION_SENT' THEN 'queued' WHEN 'DELEGATION_COMPLETE' THEN 'completed'
              WHEN 'DELEGATION_FAILED' THEN 'failed' ELSE payload ->> 'status' END,
          event_type = 'DELEGATION_STUCK', coalesce(payload ->> 'error', payload ->> 'response_preview', ''), created_at
      FROM events WHERE event_type LIKE 'DELEGATION_%' ORDER BY seq
      """;

  private static final String LEDGER =
      """
      SELECT d.delegation_id, d.status, coalesce(d.result, d.result_preview, d.error_detail, ''), d.deadline, d.retry_count,
          w.removed_at IS NULL
      FROM delegations d JOIN workspaces w ON w.id = d.caller_id
      """;

  /** Only rows in the feed of the caller itself. */
  private static final String INBOXES =
      """
      SELECT l.delegation_id, coalesce(l.message_text, ''), l.method = 'delegate_result'
      FROM activity_logs l JOIN delegations d ON d.delegation_id = l.delegation_id AND d.caller_id = l.workspace_id
      WHERE l.activity_type = 'a2a_receive'
      """;

  private final Map<String, Row> ledger = new HashMap<>();
  private final Map<String, List<Event>> events = new HashMap<>();
  private final Map<String, List<InboxRow>> inboxes = new HashMap<>();

  private LedgerLog() {}

  /** Reads everything, once every event has its number. */
  static LedgerLog read(TestDatabase database) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> database.value("SELECT count(*) FROM events WHERE seq IS NULL").equals("0"));
    LedgerLog log = new LedgerLog();
    each(
        database,
        LEDGER,
        row ->
            log.ledger.put(
                row.getString(1),
                new Row(
                    row.getString(2),
                    row.getString(3),
                    instant(row, 4),
                    row.getInt(5),
                    row.getBoolean(6))));
    each(
        database,
        EVENTS,
        row ->
            add(
                log.events,
                row.getString(1),
                new Event(
                    DelegationStatus.of(row.getString(2)),
                    row.getBoolean(3),
                    row.getString(4),
                    instant(row, 5))));
    each(
        database,
        INBOXES,
        row ->
            add(log.inboxes, row.getString(1), new InboxRow(row.getString(2), row.getBoolean(3))));
    return log;
  }

  int delegations() {
    return ledger.size();
  }

  long events() {
    return events.values().stream().mapToLong(List::size).sum();
  }

  long everStuck() {
    return events.values().stream().filter(all -> all.stream().anyMatch(Event::isStuck)).count();
  }

  long with(DelegationStatus end, String textStartsWith) {
    return ledger.values().stream()
        .filter(row -> row.status.equals(end.wire()) && row.text.startsWith(textStartsWith))
        .count();
  }

  void assertEachFollowedTheLifeCycleAndEndedOnce() {
    assertThat(events.keySet()).isEqualTo(ledger.keySet());
    ledger.forEach((id, row) -> {
      List<Event> life = events.getOrDefault(id, List.of());
      assertThat(life.getFirst().status).as("first of %s", id).isEqualTo(DelegationStatus.QUEUED);
      for (int i = 1; i < life.size(); i++) {
        assertThat(life.get(i - 1).status.mayBecome(life.get(i).status))
            .as("from event %d to the next of %s: %s", i, id, life)
            .isTrue();
      }
      assertThat(life.stream().filter(one -> !one.status.isInFlight()))
          .as("ends of %s: %s", id, life)
          .hasSize(1);
      Event end = life.getLast();
      assertThat(row.status).as("%s: %s", id, life).isEqualTo(end.status.wire());
      assertThat(row.text).as("result of %s", id).startsWith(end.text);
    });
  }

  void assertEachCallerWasNotifiedOnce() {
    ledger.forEach((id, row) -> {
      List<InboxRow> received = inboxes.getOrDefault(id, List.of());
      List<InboxRow> results = received.stream().filter(InboxRow::isResult).toList();
      if (row.status.equals("completed") && row.text.startsWith(REPLY)) {
        assertThat(results).as("beside the reply that ended %s", id).isEmpty();
        assertThat(received).containsOnlyOnce(new InboxRow(row.text, false));
      } else if (row.callerStays) {
        assertThat(results)
            .as("%s, which is %s", id, row)
            .containsExactly(new InboxRow(row.text, true));
      } else {
        assertThat(results).as("of a caller that was removed: %s", id).hasSizeLessThan(2);
      }
    });
  }

  /** The rule of deadlines comes first, so a sweep marks no overdue delegation as stuck. */
  void assertNothingOverdueWasStuck(Duration longestSweep) {
    ledger.forEach((id, row) -> {
      if (row.retries == 0) {
        assertThat(events.getOrDefault(id, List.of()).stream().filter(Event::isStuck))
            .as("of %s", id)
            .allMatch(one -> one.at.isBefore(row.deadline.plus(longestSweep)));
      }
    });
  }

  private interface Reader {
    void read(ResultSet row) throws SQLException;
  }

  private static void each(TestDatabase database, String sql, Reader reader) {
    try (var connection = database.connect();
        var statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        reader.read(rows);
      }
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  private static Instant instant(ResultSet row, int column) throws SQLException {
    Timestamp time = row.getTimestamp(column);
    return time.toInstant();
  }

  private static <T> void add(Map<String, List<T>> lists, String id, T one) {
    lists.computeIfAbsent(id, _ -> new ArrayList<>()).add(one);
  }
}

package dev.muster.message.flow;

import static java.util.stream.Collectors.joining;

import dev.muster.message.flow.ModelState.Kind;
import dev.muster.message.flow.ModelState.Open;
import dev.muster.message.flow.ModelState.Outcome;
import dev.muster.message.flow.ModelState.Row;
import dev.muster.message.flow.ModelState.Workspace;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The same lines of text for a model and for a database, so that the two can be compared. */
final class ModelView {

  /** Due times after this are of pauses that only a command ends. */
  static final String AFTER_ALL_TESTS = "timestamptz '2100-01-01 00:00:00Z'";

  private static final String ROWS =
      """
      SELECT l.workspace_id::text, l.seq, coalesce(l.message_id, l.delegation_id), coalesce(l.source_id::text, l.source),
          CASE WHEN l.activity_type = 'delegation' THEN 'NOTE' WHEN l.method = 'delegate_result' THEN 'RESULT'
              WHEN l.message_id = l.delegation_id THEN 'DELEGATION' ELSE 'MESSAGE' END,
          CASE WHEN d.seq IS NOT NULL THEN concat_ws(' ', CASE WHEN d.queued THEN 'queued' ELSE 'direct' END,
              CASE WHEN d.owner IS NULL THEN 'waiting' ELSE 'held' END, 'attempts=' || d.attempts,
              'deliveries=' || d.deliveries, CASE WHEN d.due_at >= %1$s AND d.owner IS NULL
                  THEN 'pause=' || extract(epoch FROM d.due_at - %1$s)::int ELSE 'pause=0' END) END,
          CASE WHEN o.seq IS NOT NULL THEN concat_ws(' ', o.state, coalesce(o.queue_state, '-'), o.answer_status) END,
          o.deliveries, o.response
      FROM activity_logs l
      LEFT JOIN deliveries d ON d.workspace_id = l.workspace_id AND d.seq = l.seq
      LEFT JOIN delivery_outcomes o ON o.workspace_id = l.workspace_id AND o.seq = l.seq
      WHERE l.workspace_id = ANY (?) ORDER BY l.workspace_id, l.seq
      """
          .formatted(AFTER_ALL_TESTS);

  private static final String LEDGER =
      "SELECT delegation_id, status FROM delegations WHERE caller_id = ANY (?)";

  private static final Pattern SAID = Pattern.compile("said-r\\d+");

  private ModelView() {}

  static List<String> of(ModelState state) {
    List<String> lines = new ArrayList<>();
    for (Workspace workspace : state.workspaces.values()) {
      workspace.rows.forEach(row -> lines.add(line(row)));
    }
    state.delegations.values().forEach(one -> lines.add(ofLedger(one.id, one.status)));
    return lines.stream().sorted().toList();
  }

  private static String line(Row row) {
    return row(row.owner.name, row.id, row.from, row.kind.name(), open(row.open), outcome(row));
  }

  private static String row(
      String owner, String id, String from, String kind, String open, String outcome) {
    return owner + " " + id + " " + kind + " from " + from + ": " + open + " / " + outcome;
  }

  private static String open(@Nullable Open open) {
    return open == null
        ? "-"
        : "%s %s attempts=%d deliveries=%d pause=%d"
            .formatted(
                open.queued ? "queued" : "direct",
                open.isHeld ? "held" : "waiting",
                open.attempts,
                open.deliveries,
                open.isHeld ? 0 : open.pauseSeconds);
  }

  private static String outcome(Row row) {
    @Nullable Outcome outcome = row.outcome;
    if (outcome == null) {
      return "-";
    }
    String end =
        outcome.state()
            + " "
            + (outcome.queueState() == null ? "-" : outcome.queueState())
            + " "
            + outcome.status();
    return outcome(end, outcome.said(), outcome.deliveries());
  }

  /** A message that the agent answered by a message of its own has no counted delivery. */
  private static String outcome(String end, String said, int deliveries) {
    return end + " " + said + (SAID.matcher(said).matches() ? "" : " deliveries=" + deliveries);
  }

  private static String ofLedger(String id, String status) {
    return "ledger " + id + ": " + status;
  }

  /** {@code named} maps workspaces and delegations to their names in the model. */
  static List<String> of(Connection database, List<UUID> workspaces, UnaryOperator<String> named)
      throws SQLException {
    List<String> lines = new ArrayList<>();
    Object ids = database.createArrayOf("uuid", workspaces.toArray());
    try (PreparedStatement rows = database.prepareStatement(ROWS)) {
      rows.setObject(1, ids);
      try (ResultSet row = rows.executeQuery()) {
        while (row.next()) {
          @Nullable String open = row.getString(6);
          lines.add(
              row(
                  named.apply(row.getString(1)),
                  named.apply(row.getString(3)),
                  named.apply(row.getString(4)),
                  row.getString(5),
                  open == null ? "-" : open,
                  outcome(row)));
        }
      }
    }
    try (PreparedStatement ledger = database.prepareStatement(LEDGER)) {
      ledger.setObject(1, ids);
      try (ResultSet row = ledger.executeQuery()) {
        while (row.next()) {
          lines.add(ofLedger(named.apply(row.getString(1)), row.getString(2)));
        }
      }
    }
    return lines.stream().sorted().toList();
  }

  private static String outcome(ResultSet row) throws SQLException {
    @Nullable String end = row.getString(7);
    return end == null ? "-" : outcome(end, said(row.getString(9)), row.getInt(8));
  }

  /** What the agent answered: {@code call} when it was called, else the name of its reply. */
  static String said(@Nullable String answer) {
    if (answer == null) {
      return "-";
    }
    Matcher said = SAID.matcher(answer);
    return said.find() ? said.group() : answer.contains("\"n\":1") ? "call" : "-";
  }

  /**
   * How often an agent received each message, and in which order it first saw each sender's
   * messages.
   */
  static List<String> received(Workspace agent, List<Row> received) {
    TreeMap<String, Integer> times = new TreeMap<>();
    received.forEach(row -> times.merge(row.id, 1, Integer::sum));
    List<String> lines = new ArrayList<>();
    times.forEach((id, n) -> lines.add(agent.name + " was received " + id + " " + n + " times"));
    for (String sender : ModelState.SENDERS) {
      lines.add(
          agent.name
              + " saw of "
              + sender
              + received.stream()
                  .filter(row -> row.kind == Kind.MESSAGE && row.from.equals(sender))
                  .map(row -> row.id)
                  .distinct()
                  .collect(joining(" ", " ", "")));
    }
    return lines;
  }
}

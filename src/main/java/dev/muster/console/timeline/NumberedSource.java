package dev.muster.console.timeline;

import dev.muster.console.timeline.TimelineCursor.Place;
import dev.muster.platform.postgres.Timestamps;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A source whose rows have numbers that rise with their times, within a workspace. */
abstract class NumberedSource implements TimelineSource {

  /**
   * The statements of a source, for rows of {@code :workspace_id}.
   *
   * @param page the rows before the number {@code :before}, newest first, at most {@code :limit}
   * @param newest the row with the highest number, as {@code seq, at}
   * @param from the first row from the number {@code :low} on and below {@code :high}, likewise
   */
  record Statements(String page, String newest, String from) {}

  private record Probe(long seq, Instant at) {}

  private final JdbcClient db;
  private final Statements statements;
  private final RowMapper<Row> rows;

  NumberedSource(JdbcClient db, Statements statements, RowMapper<Row> rows) {
    this.db = db;
    this.statements = statements;
    this.rows = rows;
  }

  @Override
  public List<Row> before(UUID workspaceId, Place place, int limit) {
    return db.sql(statements.page())
        .param("workspace_id", workspaceId)
        .param("before", place.number())
        .param("limit", limit)
        .query(rows)
        .list();
  }

  /** Finds the place by binary search over the numbers; each step reads one row by an index. */
  @Override
  public Place placeOf(UUID workspaceId, Instant time) {
    Optional<Probe> last = read(db.sql(statements.newest()).param("workspace_id", workspaceId));
    if (last.isEmpty() || last.get().at().isBefore(time)) {
      return Place.NEWEST;
    }
    long low = 0;
    long high = last.get().seq();
    while (low < high) {
      long middle = low + (high - low) / 2;
      Optional<Probe> probe =
          read(
              db.sql(statements.from())
                  .param("workspace_id", workspaceId)
                  .param("low", middle)
                  .param("high", high));
      if (probe.isPresent() && probe.get().at().isBefore(time)) {
        low = probe.get().seq() + 1;
      } else {
        high = middle;
      }
    }
    return Place.ofSeq(low);
  }

  private static Optional<Probe> read(JdbcClient.StatementSpec statement) {
    return statement
        .query((row, n) -> new Probe(row.getLong("seq"), Timestamps.instant(row, "at")))
        .optional();
  }
}

package dev.muster.console.timeline;

import dev.muster.console.timeline.TimelineCursor.Place;
import dev.muster.platform.postgres.Timestamps;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Finds the number of a row by its time, where the numbers of a workspace's rows rise with their
 * times: by halving, with one step of the primary key for each half.
 */
final class TimeSearch {

  private record Probe(long seq, Instant at) {}

  private final JdbcClient db;
  private final String newest;
  private final String from;

  /**
   * Takes two statements for rows of {@code :workspace_id} with the columns {@code seq, at}.
   *
   * @param newest the row with the highest number
   * @param from the first row from {@code :low} on and below {@code :high}
   */
  TimeSearch(JdbcClient db, String newest, String from) {
    this.db = db;
    this.newest = newest;
    this.from = from;
  }

  /** Returns the place of the first row that is not older than the time. */
  Place placeOf(UUID workspaceId, Instant time) {
    Optional<Probe> last = read(db.sql(newest).param("workspace_id", workspaceId));
    if (last.isEmpty() || last.get().at().isBefore(time)) {
      return Place.NEWEST;
    }
    long low = 0;
    long high = last.get().seq();
    while (low < high) {
      long middle = low + (high - low) / 2;
      Optional<Probe> probe =
          read(
              db.sql(from)
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

package dev.muster.delegation;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.muster.platform.http.Page;
import dev.muster.platform.http.PageCursor;
import dev.muster.platform.time.Timestamps;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Repository;

/** Lists delegations, newest first. */
@Repository
class DelegationQueries {

  /**
   * Compares ids as text, which orders them by bytes like the database. {@code UUID.compareTo}
   * compares signed halves.
   */
  private static final Comparator<Delegation> NEWEST_FIRST =
      Comparator.comparing(Delegation::createdAt)
          .thenComparing(delegation -> delegation.id().toString())
          .reversed();

  private static final String OF_STATUS = "(:status::text IS NULL OR d.status = :status)";

  private static final String SENT = newestFirst("d.caller_id = :workspace AND " + OF_STATUS);
  private static final String RECEIVED = newestFirst("d.callee_id = :workspace AND " + OF_STATUS);
  private static final String IN_FLIGHT = newestFirst("d.terminal_status IS NULL AND " + OF_STATUS);
  private static final String ENDED = newestFirst("d.terminal_status = :status");
  private static final String IN_FLIGHT_OF =
      newestFirst(
          "d.terminal_status IS NULL AND :workspace IN (d.caller_id, d.callee_id) AND "
              + OF_STATUS);

  private final JdbcClient db;

  DelegationQueries(JdbcClient db) {
    this.db = db;
  }

  /** The side of a delegation that a workspace is on. */
  enum Direction {
    SENT,
    RECEIVED;

    @JsonValue
    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Lists delegations of one workspace.
   *
   * @param direction empty for both
   * @param status empty for all
   */
  Page<Delegation> of(
      UUID workspaceId,
      Optional<Direction> direction,
      Optional<DelegationStatus> status,
      PageCursor after,
      int limit) {
    return page(
        Stream.of(Direction.values())
            .filter(side -> direction.isEmpty() || direction.get() == side)
            .map(side -> db.sql(side == Direction.SENT ? SENT : RECEIVED))
            .map(statement -> statement.param("workspace", workspaceId))
            .flatMap(statement -> list(statement, status, after, limit + 1).stream())
            .sorted(NEWEST_FIRST)
            .limit(limit + 1L)
            .toList(),
        limit);
  }

  /**
   * Lists delegations of all workspaces.
   *
   * @param status empty for all that are in flight
   */
  Page<Delegation> ofAll(Optional<DelegationStatus> status, PageCursor after, int limit) {
    boolean isInFlight = status.isEmpty() || status.get().isInFlight();
    return page(list(db.sql(isInFlight ? IN_FLIGHT : ENDED), status, after, limit + 1), limit);
  }

  /**
   * Lists delegations with a workspace as caller or callee.
   *
   * @param status empty for all that are in flight
   */
  Page<Delegation> ofSide(
      UUID workspaceId, Optional<DelegationStatus> status, PageCursor after, int limit) {
    boolean isInFlight = status.isEmpty() || status.get().isInFlight();
    return isInFlight
        ? page(
            list(db.sql(IN_FLIGHT_OF).param("workspace", workspaceId), status, after, limit + 1),
            limit)
        : of(workspaceId, Optional.empty(), status, after, limit);
  }

  private static String newestFirst(String condition) {
    return "SELECT "
        + DelegationRepository.COLUMNS
        + " FROM delegations d WHERE (d.created_at, d.id) < (:before, :before_id) AND "
        + condition
        + " ORDER BY d.created_at DESC, d.id DESC LIMIT :limit";
  }

  /** Reads the rows before the cursor, newest first. */
  private static List<Delegation> list(
      StatementSpec statement, Optional<DelegationStatus> status, PageCursor after, int limit) {
    PageCursor before = after.equals(PageCursor.START) ? PageCursor.END : after;
    return statement
        .param("before", Timestamps.utc(before.createdAt()))
        .param("before_id", before.id())
        .param("status", status.map(DelegationStatus::wire).orElse(null))
        .param("limit", limit)
        .query(DelegationRepository::delegation)
        .list();
  }

  private static Page<Delegation> page(List<Delegation> rows, int limit) {
    return Page.of(rows, limit, last -> new PageCursor(last.createdAt(), last.id()));
  }
}

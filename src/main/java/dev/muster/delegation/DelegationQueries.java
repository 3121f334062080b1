package dev.muster.delegation;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.muster.platform.http.Page;
import dev.muster.platform.http.PageCursor;
import dev.muster.platform.postgres.Timestamps;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
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
  private static final String ALL_IN_FLIGHT =
      newestFirst("d.terminal_status IS NULL AND " + OF_STATUS);
  private static final String ALL_ENDED = newestFirst("d.terminal_status = :status");

  /**
   * Which delegations of a workspace are listed. An index finds those of an end, or all in flight,
   * however rare they are.
   */
  private enum Wanted {
    ALL("true"),
    IN_FLIGHT("coalesce(d.terminal_status, 'in_flight') = 'in_flight' AND " + OF_STATUS),
    ENDED("coalesce(d.terminal_status, 'in_flight') = :status");

    private final String sent;
    private final String received;

    Wanted(String condition) {
      this.sent = newestFirst("d.caller_id = :workspace AND " + condition);
      this.received = newestFirst("d.callee_id = :workspace AND " + condition);
    }

    static Wanted of(DelegationStatus status) {
      return status.isInFlight() ? IN_FLIGHT : ENDED;
    }

    String of(Direction side) {
      return switch (side) {
        case SENT -> sent;
        case RECEIVED -> received;
      };
    }
  }

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
    List<Direction> sides = direction.map(List::of).orElse(List.of(Direction.values()));
    return of(workspaceId, sides, status.map(Wanted::of).orElse(Wanted.ALL), status, after, limit);
  }

  /**
   * Lists delegations of all workspaces.
   *
   * @param status empty for all that are in flight
   */
  Page<Delegation> ofAll(Optional<DelegationStatus> status, PageCursor after, int limit) {
    boolean isInFlight = status.isEmpty() || status.get().isInFlight();
    String statement = isInFlight ? ALL_IN_FLIGHT : ALL_ENDED;
    return page(list(db.sql(statement), status, after, limit + 1), limit);
  }

  /**
   * Lists delegations with a workspace as caller or callee.
   *
   * @param status empty for all that are in flight
   */
  Page<Delegation> ofSide(
      UUID workspaceId, Optional<DelegationStatus> status, PageCursor after, int limit) {
    List<Direction> both = List.of(Direction.values());
    Wanted wanted = status.map(Wanted::of).orElse(Wanted.IN_FLIGHT);
    return of(workspaceId, both, wanted, status, after, limit);
  }

  private Page<Delegation> of(
      UUID workspaceId,
      List<Direction> sides,
      Wanted wanted,
      Optional<DelegationStatus> status,
      PageCursor after,
      int limit) {
    return page(
        sides.stream()
            .map(side -> db.sql(wanted.of(side)).param("workspace", workspaceId))
            .flatMap(statement -> list(statement, status, after, limit + 1).stream())
            .distinct()
            .sorted(NEWEST_FIRST)
            .limit(limit + 1L)
            .toList(),
        limit);
  }

  private static String newestFirst(String condition) {
    return "SELECT "
        + DelegationRepository.COLUMNS
        + " FROM delegations d WHERE (d.created_at, d.id) < (:before, :before_id) AND "
        + condition
        + " ORDER BY d.created_at DESC, d.id DESC LIMIT (SELECT :limit)";
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

package dev.muster.delegation;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.muster.platform.http.EnumParameter;
import dev.muster.platform.http.Page;
import dev.muster.platform.http.PageCursor;
import dev.muster.platform.postgres.SqlTime;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Repository;

/** Lists of delegations, the newest first. */
@Repository
class DelegationLists {

  /** Ids byte by byte, as the database compares them: Java takes halves of them for signed. */
  private static final Comparator<Delegation> NEWEST_FIRST =
      Comparator.comparing(Delegation::createdAt)
          .thenComparing(delegation -> delegation.id().toString())
          .reversed();

  private static final String OF_STATUS = "(:status::text IS NULL OR d.status = :status)";

  private static final String SENT = newestFirst("d.caller_id = :workspace AND " + OF_STATUS);
  private static final String RECEIVED = newestFirst("d.callee_id = :workspace AND " + OF_STATUS);
  private static final String IN_FLIGHT = newestFirst("d.ended_as IS NULL AND " + OF_STATUS);
  private static final String ENDED = newestFirst("d.ended_as = :status");

  private final JdbcClient db;

  DelegationLists(JdbcClient db) {
    this.db = db;
  }

  /** Which side of a delegation a workspace is on. */
  enum Direction {
    SENT,
    RECEIVED;

    @JsonValue
    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Which delegations of a workspace: those of a status, or of one direction. */
  record Filter(Optional<DelegationStatus> status, Optional<Direction> direction) {

    /** {@code ""} counts as absent. */
    static Filter read(String status, String direction) {
      return new Filter(
          EnumParameter.read("status", status, DelegationStatus.values(), DelegationStatus::wire),
          EnumParameter.read("direction", direction, Direction.values(), Direction::wire));
    }
  }

  Page<Delegation> of(UUID workspaceId, Filter filter, PageCursor after, int limit) {
    Stream<Delegation> sent =
        filter.direction().equals(Optional.of(Direction.RECEIVED))
            ? Stream.empty()
            : list(ofWorkspace(SENT, workspaceId), filter.status(), after, limit + 1).stream();
    Stream<Delegation> received =
        filter.direction().equals(Optional.of(Direction.SENT))
            ? Stream.empty()
            : list(ofWorkspace(RECEIVED, workspaceId), filter.status(), after, limit + 1).stream();
    return page(
        Stream.concat(sent, received).sorted(NEWEST_FIRST).limit(limit + 1L).toList(), limit);
  }

  /** Of all workspaces: in flight, when there is no status. */
  Page<Delegation> ofAll(Optional<DelegationStatus> status, PageCursor after, int limit) {
    boolean isInFlight = status.isEmpty() || status.get().isInFlight();
    return page(list(db.sql(isInFlight ? IN_FLIGHT : ENDED), status, after, limit + 1), limit);
  }

  private static String newestFirst(String condition) {
    return "SELECT "
        + DelegationRepository.COLUMNS
        + " FROM delegations d WHERE (d.created_at, d.id) < (:before, :before_id) AND "
        + condition
        + " ORDER BY d.created_at DESC, d.id DESC LIMIT :limit";
  }

  private StatementSpec ofWorkspace(String sql, UUID workspaceId) {
    return db.sql(sql).param("workspace", workspaceId);
  }

  /** The newest first, from before the cursor on. */
  private static List<Delegation> list(
      StatementSpec statement, Optional<DelegationStatus> status, PageCursor after, int limit) {
    PageCursor before = after.equals(PageCursor.START) ? PageCursor.END : after;
    return statement
        .param("before", SqlTime.utc(before.createdAt()))
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

package dev.muster.identity;

import dev.muster.platform.http.NextLink;
import dev.muster.platform.http.PageCursor;
import dev.muster.platform.http.PageLimit;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Ids;
import jakarta.servlet.http.HttpServletRequest;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Lists the live tokens of all workspaces for the admin and operators, who can then revoke them.
 */
@RestController
class TokenListController {

  /**
   * The rows that one page scans. A page of a filter with few matches ends after them, with a
   * cursor to continue.
   */
  static final int MAX_SCANNED = 5000;

  private static final int MAX_IDLE_DAYS = 10_000;

  static final String SCANNED =
      """
      SELECT id, workspace_id, prefix, created_at, last_used_at, revoked_at FROM workspace_tokens
      WHERE (workspace_id, created_at, id) > (:workspace, :time, :id)
      ORDER BY workspace_id, created_at, id LIMIT :scanned
      """;

  static final String PAGE =
      "SELECT id, workspace_id, prefix, created_at, last_used_at FROM ("
          + SCANNED
          + """
          ) AS scanned
          WHERE revoked_at IS NULL AND (:of::uuid IS NULL OR workspace_id = :of)
              AND (NOT :never_used OR last_used_at IS NULL)
              AND (:idle_days::integer IS NULL
                  OR coalesce(last_used_at, created_at) < statement_timestamp() - make_interval(days => :idle_days))
          ORDER BY workspace_id, created_at, id LIMIT :limit
          """;

  private static final String END =
      "SELECT count(*) OVER () AS rows, workspace_id, created_at, id FROM ("
          + SCANNED
          + ") AS scanned ORDER BY workspace_id DESC, created_at DESC, id DESC LIMIT 1";

  private final JdbcClient db;

  TokenListController(JdbcClient db) {
    this.db = db;
  }

  /** A live token of a workspace, with its first characters only. */
  record WorkspaceToken(
      UUID id, UUID workspaceId, String prefix, Instant createdAt, @Nullable Instant lastUsedAt) {}

  /** The token after which the next page begins. */
  private record Place(UUID workspaceId, Instant createdAt, UUID id) {

    static final Place START = new Place(new UUID(0, 0), Instant.EPOCH, new UUID(0, 0));

    private static final Pattern TEXT =
        Pattern.compile(
            "([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\\.([0-9a-z]{1,11})"
                + "\\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})");

    String text() {
      return workspaceId
          + "."
          + Long.toString(ChronoUnit.MICROS.between(Instant.EPOCH, createdAt), Character.MAX_RADIX)
          + "."
          + id;
    }

    static Place parse(String text) {
      Matcher parts = TEXT.matcher(text);
      if (!parts.matches()) {
        throw PageCursor.unknown();
      }
      long micros = Long.parseLong(parts.group(2), Character.MAX_RADIX);
      return new Place(
          UUID.fromString(parts.group(1)),
          Instant.EPOCH.plus(micros, ChronoUnit.MICROS),
          UUID.fromString(parts.group(3)));
    }
  }

  private record ScanEnd(long rows, Place place) {}

  /**
   * Returns a page, by workspace. A page of a filtered list may be short and still have a next
   * page.
   */
  @GetMapping("/admin/workspace-tokens")
  ResponseEntity<List<WorkspaceToken>> list(
      Caller caller,
      @RequestParam(name = "idle_days", defaultValue = "") String idleDays,
      @RequestParam(name = "never_used", defaultValue = "false") boolean neverUsed,
      @RequestParam(name = "workspace_id", defaultValue = "") String workspaceId,
      @RequestParam(defaultValue = "") String cursor,
      HttpServletRequest request) {
    AccessChecks.requireAdmin(caller);
    int limit = PageLimit.of(request).orElse(PageLimit.DEFAULT);
    Optional<Integer> days = idleDays.isEmpty() ? Optional.empty() : Optional.of(days(idleDays));
    Optional<UUID> of =
        workspaceId.isEmpty() ? Optional.empty() : Optional.of(Ids.parse(workspaceId));
    Place first = of.map(id -> new Place(id, Instant.EPOCH, new UUID(0, 0))).orElse(Place.START);
    Place after = cursor.isEmpty() ? first : Place.parse(cursor);
    List<WorkspaceToken> found =
        bound(db.sql(PAGE), after)
            .param("of", of.orElse(null))
            .param("never_used", neverUsed)
            .param("idle_days", days.orElse(null))
            .param("limit", limit + 1)
            .query((row, n) -> token(row))
            .list();
    List<WorkspaceToken> page = found.subList(0, Math.min(limit, found.size()));
    return NextLink.page(page, request, "cursor", next(found, limit, after, of).map(Place::text));
  }

  private Optional<Place> next(
      List<WorkspaceToken> found, int limit, Place after, Optional<UUID> of) {
    if (found.size() > limit) {
      WorkspaceToken last = found.get(limit - 1);
      return Optional.of(new Place(last.workspaceId(), last.createdAt(), last.id()));
    }
    return bound(db.sql(END), after)
        .query((row, n) -> new ScanEnd(row.getLong("rows"), place(row)))
        .optional()
        .filter(end -> end.rows() == MAX_SCANNED)
        .map(ScanEnd::place)
        .filter(end -> of.isEmpty() || of.get().equals(end.workspaceId()));
  }

  private static JdbcClient.StatementSpec bound(JdbcClient.StatementSpec statement, Place after) {
    return statement
        .param("workspace", after.workspaceId())
        .param("time", Timestamps.utc(after.createdAt()))
        .param("id", after.id())
        .param("scanned", MAX_SCANNED);
  }

  private static Place place(ResultSet row) throws SQLException {
    return new Place(
        row.getObject("workspace_id", UUID.class),
        Timestamps.instant(row, "created_at"),
        row.getObject("id", UUID.class));
  }

  private static WorkspaceToken token(ResultSet row) throws SQLException {
    return new WorkspaceToken(
        row.getObject("id", UUID.class),
        row.getObject("workspace_id", UUID.class),
        row.getString("prefix"),
        Timestamps.instant(row, "created_at"),
        Timestamps.instantOrNull(row, "last_used_at"));
  }

  private static int days(String text) {
    if (!text.matches("\\+?[0-9]{1,40}")) {
      throw ProblemException.validation("idle_days: not usable (expected: whole days, 0..10000)");
    }
    return new BigInteger(text).min(BigInteger.valueOf(MAX_IDLE_DAYS)).intValue();
  }
}

package dev.muster.console.fleet;

import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.console.fleet.FleetSummaries.FleetSummary.Banner;
import dev.muster.console.fleet.MatchingFleet.Count;
import dev.muster.console.fleet.MatchingFleet.FleetRow;
import dev.muster.console.fleet.MatchingFleet.Matches;
import dev.muster.heartbeat.LivenessSettings;
import dev.muster.platform.http.Owner;
import dev.muster.platform.http.WholeReads;
import dev.muster.platform.postgres.ControlPlaneUptime;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.postgres.Uptime;
import dev.muster.workspace.HeartbeatCadence;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Builds summaries of the fleet, and caches each for a second. */
@Component
class FleetSummaries {

  private static final Duration KEPT = Duration.ofSeconds(1);
  private static final int MAX_KEPT = 1000;
  private static final int MAX_RUNTIMES = 20;
  private static final String OTHER_RUNTIMES = "…";

  private static final String HEAD =
      """
      SELECT last_seq, now() AS at,
          EXISTS (SELECT FROM api_workspace_fleet WHERE removed_at IS NULL AND created_at < :up_since) AS was_in_use
      FROM api_event_head
      """;

  private static final String DELEGATIONS =
      """
      SELECT status, count(*) AS delegations FROM api_delegation_open
      WHERE :self::uuid IS NULL OR caller_id = :self::uuid OR callee_id = :self::uuid
      GROUP BY status ORDER BY status
      """;

  private static final String QUEUE =
      """
      SELECT count(*) AS waiting, coalesce(extract(epoch FROM now() - min(enqueued_at)), 0) AS oldest_s
      FROM api_message_queue
      WHERE owner IS NULL AND (:self::uuid IS NULL OR workspace_id = :self::uuid)
      """;

  /**
   * The counts of the fleet, as of one event.
   *
   * @param seq the newest event that the counts include
   * @param runtime the counts of the most frequent runtimes, and of all others together
   * @param delegations the counts of delegations in flight by status; the filter does not apply to
   *     them
   */
  record FleetSummary(
      long seq,
      Instant at,
      long total,
      Map<String, Long> status,
      Map<String, Long> reason,
      Map<String, Long> runtime,
      long stalled,
      Map<String, Long> delegations,
      Queue queue,
      List<FleetRow> worst,
      List<Banner> banners) {

    /** The number of messages that wait for agents, and the age of the oldest in seconds. */
    record Queue(long waiting, long oldestS) {}

    /**
     * A condition of the server that makes statuses less reliable.
     *
     * @param kind {@code own_absence}: no server ran until {@code since}; {@code mass_silence}: too
     *     many agents are silent at once, so none is taken offline
     * @param downSince since when no server ran; null for {@code mass_silence}
     * @param until the latest time at which statuses are reliable again
     */
    record Banner(String kind, @Nullable Instant downSince, Instant since, Instant until) {}
  }

  private record Key(FleetAudience audience, String query) {}

  private record Head(long seq, Instant at, boolean wasInUse) {}

  private final JdbcClient db;
  private final MatchingFleet fleet;
  private final ControlPlaneUptime uptime;
  private final LivenessSettings liveness;
  private final HeartbeatCadence cadence;
  private final TransactionTemplate snapshot;
  private final KeptReads<Key, FleetSummary> summaries;

  FleetSummaries(
      JdbcClient db,
      MatchingFleet fleet,
      ControlPlaneUptime uptime,
      LivenessSettings liveness,
      HeartbeatCadence cadence,
      WholeReads reads,
      PlatformTransactionManager transactions) {
    this.db = db;
    this.fleet = fleet;
    this.uptime = uptime;
    this.liveness = liveness;
    this.cadence = cadence;
    this.snapshot = new TransactionTemplate(transactions);
    this.snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
    this.snapshot.setReadOnly(true);
    this.summaries =
        new KeptReads<>(
            reads,
            Caffeine.newBuilder().expireAfterWrite(KEPT).maximumSize(MAX_KEPT).build(),
            key -> Objects.requireNonNull(snapshot.execute(status -> read(key))));
  }

  /** Returns a summary of the workspaces that match the query, at most a second old. */
  FleetSummary of(FleetAudience audience, String query, Owner owner) {
    return summaries.of(new Key(audience, query), owner);
  }

  private FleetSummary read(Key key) {
    FleetAudience audience = key.audience();
    Uptime stored = uptime.read();
    Head head = head(stored);
    FleetFilter filter = FleetFilter.read(key.query(), head.at());
    Matches matches = fleet.find(filter, audience);
    List<Count> counts = matches.counts();
    return new FleetSummary(
        head.seq(),
        head.at(),
        counts.stream().mapToLong(Count::workspaces).sum(),
        by(counts, Count::status),
        by(counts, Count::degradedReason),
        mostFrequent(by(counts, Count::runtime)),
        counts.stream().filter(Count::stalled).mapToLong(Count::workspaces).sum(),
        delegations(audience),
        queue(audience),
        matches.worst(),
        banners(stored, head));
  }

  private Head head(Uptime stored) {
    return db.sql(HEAD)
        .param("up_since", Timestamps.utc(stored.upSince()))
        .query((row, n) ->
            new Head(
                row.getLong("last_seq"),
                Timestamps.instant(row, "at"),
                row.getBoolean("was_in_use")))
        .single();
  }

  private static Map<String, Long> by(List<Count> counts, Function<Count, @Nullable String> value) {
    return sorted(
        counts.stream()
            .filter(count -> value.apply(count) != null)
            .collect(
                Collectors.groupingBy(
                    count -> String.valueOf(value.apply(count)),
                    Collectors.summingLong(Count::workspaces))));
  }

  private static Map<String, Long> sorted(Map<String, Long> counts) {
    Map<String, Long> sorted = new LinkedHashMap<>();
    counts.entrySet().stream()
        .sorted(
            Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                .thenComparing(Map.Entry.comparingByKey()))
        .forEach(count -> sorted.put(count.getKey(), count.getValue()));
    return sorted;
  }

  private static Map<String, Long> mostFrequent(Map<String, Long> counts) {
    Map<String, Long> most = new LinkedHashMap<>();
    counts.forEach((runtime, workspaces) ->
        most.merge(most.size() < MAX_RUNTIMES ? runtime : OTHER_RUNTIMES, workspaces, Long::sum));
    return most;
  }

  private Map<String, Long> delegations(FleetAudience audience) {
    Map<String, Long> counts = new LinkedHashMap<>();
    db.sql(DELEGATIONS)
        .param("self", audience.self())
        .query(row -> {
          counts.put(row.getString("status"), row.getLong("delegations"));
        });
    return counts;
  }

  private FleetSummary.Queue queue(FleetAudience audience) {
    return db.sql(QUEUE)
        .param("self", audience.self())
        .query((row, n) -> new FleetSummary.Queue(row.getLong("waiting"), row.getLong("oldest_s")))
        .single();
  }

  /** Shows an uptime gap while agents may still reconnect (R5.2). */
  private List<Banner> banners(Uptime stored, Head head) {
    List<Banner> banners = new ArrayList<>();
    Instant absenceUntil = stored.upSince().plus(liveness.grace(cadence.staleAfter()));
    if (head.wasInUse() && head.at().isBefore(absenceUntil)) {
      banners.add(new Banner("own_absence", stored.downSince(), stored.upSince(), absenceUntil));
    }
    @Nullable Instant holdSince = stored.holdSince();
    if (holdSince != null) {
      Instant holdUntil = holdSince.plus(liveness.massOffline().hold());
      if (head.at().isBefore(holdUntil)) {
        banners.add(new Banner("mass_silence", null, holdSince, holdUntil));
      }
    }
    return banners;
  }
}

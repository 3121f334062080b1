package dev.muster.event;

import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.work.AdaptiveInterval;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.FailingUnits;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Relays the rows of each workspace's series to live subscribers, once each and in order.
 *
 * <p>It keeps the last relayed number of each series, whichever replica wrote the rows. Without
 * subscribers it does no work.
 *
 * <p>Once a second it queries the heads of all series, to find rows whose notification was lost. A
 * slow query runs less often: at most a twentieth of the time is spent on it.
 */
public final class SeriesRelay {

  /** The visible end of a series; {@code lastChangedAt} is never in the future. */
  public record End(UUID workspaceId, long lastSeq, Instant lastChangedAt) {

    /** Reads the columns {@code workspace_id}, {@code last_seq} and {@code last_changed_at}. */
    public static End of(ResultSet row, int n) throws SQLException {
      return new End(
          row.getObject("workspace_id", UUID.class),
          row.getLong("last_seq"),
          Timestamps.instant(row, "last_changed_at"));
    }
  }

  /** Assumed maximum time between drawing a row's timestamp and the commit that shows the row. */
  public static final Duration MAX_TRANSACTION = Duration.ofSeconds(30);

  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
  private static final Instant INITIAL_WATERMARK = Instant.EPOCH.plus(MAX_TRANSACTION);

  private final LiveEvents live;
  private final Function<Instant, List<End>> endsSince;
  private final Set<UUID> changedSeries = ConcurrentHashMap.newKeySet();

  /** Last relayed number of each series; makes lost, late and duplicate notifications harmless. */
  private final Map<UUID, Long> relayed = new HashMap<>();

  private final FailingUnits failing;
  private final BackgroundLoop loop;

  private Instant newest = INITIAL_WATERMARK;
  private final AdaptiveInterval polls = new AdaptiveInterval(POLL_INTERVAL);

  /**
   * Starts the relay's thread.
   *
   * @param endsSince returns the ends of the series that changed after a time
   * @param run runs on the relay's thread, once a second and soon after a notification
   */
  public SeriesRelay(
      BackgroundLoops loops,
      MeterRegistry metrics,
      String name,
      LiveEvents live,
      Function<Instant, List<End>> endsSince,
      Consumer<SeriesRelay> run) {
    this.live = live;
    this.endsSince = endsSince;
    this.failing = new FailingUnits(name, metrics);
    live.beforeWatched(this::begin);
    this.loop = loops.start(name, POLL_INTERVAL, () -> run.accept(this));
  }

  /** Marks series for the relay; call it after the commit. */
  public void seriesChanged(Set<UUID> workspaceIds) {
    if (live.isWatched()) {
      changedSeries.addAll(workspaceIds);
      loop.wake();
    }
  }

  /** Queries all series on the next run, because notifications of other replicas may be lost. */
  public void resync() {
    polls.makeDue();
    loop.wake();
  }

  /** Notes all current ends, so that rows stored before the first subscriber are not relayed. */
  private synchronized void begin() {
    relayed.clear();
    changedSeries.clear();
    newest = INITIAL_WATERMARK;
    for (End end : ends(Instant.EPOCH)) {
      relayed.put(end.workspaceId(), end.lastSeq());
    }
  }

  /**
   * Relays the series that have grown; returns whether there were any.
   *
   * @param listener gets the grown series and returns those that may have more rows; if it fails,
   *     it gets them again: all of them later after an outage of the database, else parts of them,
   *     and a series that fails by itself is delayed
   */
  public boolean relay(Function<Set<UUID>, Set<UUID>> listener) {
    return relay(Set.of(), listener);
  }

  /** As above, and relays these series even if no notification has named them. */
  public synchronized boolean relay(Set<UUID> more, Function<Set<UUID>, Set<UUID>> listener) {
    if (!live.isWatched()) {
      return false;
    }
    changedSeries.addAll(more);
    polls.runIfDue(this::poll);
    List<UUID> series = changedSeries.stream().filter(one -> !failing.isDelayed(one)).toList();
    if (series.isEmpty()) {
      return false;
    }
    series.forEach(changedSeries::remove);
    try {
      failing.runAll(
          series, one -> one, some -> changedSeries.addAll(listener.apply(Set.copyOf(some))));
    } catch (RuntimeException e) {
      changedSeries.addAll(series);
      throw e;
    }
    series.stream().filter(failing::isDelayed).forEach(changedSeries::add);
    return true;
  }

  /** Returns the last relayed number of each of these series; valid only within {@link #relay}. */
  public Map<UUID, Long> relayedUpTo(Set<UUID> series) {
    return series.stream().collect(Collectors.toMap(id -> id, this::lastRelayed));
  }

  private long lastRelayed(UUID workspaceId) {
    return relayed.getOrDefault(workspaceId, 0L);
  }

  /** Sets the last relayed number of a series; valid only within {@link #relay}. */
  public void setRelayed(UUID workspaceId, long seq) {
    relayed.put(workspaceId, seq);
  }

  private void poll() {
    for (End end : ends(newest.minus(MAX_TRANSACTION))) {
      if (end.lastSeq() > lastRelayed(end.workspaceId())) {
        changedSeries.add(end.workspaceId());
      }
    }
  }

  private List<End> ends(Instant since) {
    List<End> ends = endsSince.apply(since);
    for (End end : ends) {
      newest = end.lastChangedAt().isAfter(newest) ? end.lastChangedAt() : newest;
    }
    return ends;
  }

  /** Ends the relay's thread. */
  public void close() {
    loop.close();
  }
}

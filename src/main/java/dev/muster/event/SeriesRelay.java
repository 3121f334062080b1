package dev.muster.event;

import dev.muster.platform.loop.BackgroundLoop;
import dev.muster.platform.loop.LoopOwner;
import dev.muster.platform.postgres.Timestamps;
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
 * Keeps up to which number each workspace's series of rows was told to the watchers of live events,
 * so that each row is told once and in order, whichever replica wrote it. Without watchers it does
 * nothing and costs nothing.
 *
 * <p>Once a second, one look at the ends of all series finds what no signal told; a look that takes
 * long is taken less often.
 */
public final class SeriesRelay implements LoopOwner {

  /** The end of a series, as others see it; its time is never later than now. */
  public record End(UUID workspaceId, long lastSeq, Instant lastChangedAt) {

    /** Of the columns {@code workspace_id}, {@code last_seq} and {@code last_changed_at}. */
    public static End of(ResultSet row, int n) throws SQLException {
      return new End(
          row.getObject("workspace_id", UUID.class),
          row.getLong("last_seq"),
          Timestamps.instant(row, "last_changed_at"));
    }
  }

  /** A row's time is drawn a while before its transaction's commit lets others see it. */
  public static final Duration MAX_TRANSACTION = Duration.ofSeconds(30);

  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
  private static final int IDLE_SHARE = 20;
  private static final Instant INITIAL_WATERMARK = Instant.EPOCH.plus(MAX_TRANSACTION);

  private final LiveEvents live;
  private final Function<Instant, List<End>> endsSince;
  private final Set<UUID> feedsChanged = ConcurrentHashMap.newKeySet();

  /**
   * The last number of each series that was told, so a signal that is lost, comes late or twice
   * changes nothing.
   */
  private final Map<UUID, Long> told = new HashMap<>();

  private final BackgroundLoop loop;

  private Instant newest = INITIAL_WATERMARK;
  private volatile long nextLookAt = System.nanoTime();

  /**
   * @param endsSince the ends of the series that have changed after a time
   * @param run on the relay's own thread, once a second and soon after a signal
   */
  public SeriesRelay(
      String name,
      LiveEvents live,
      Function<Instant, List<End>> endsSince,
      Consumer<SeriesRelay> run) {
    this.live = live;
    this.endsSince = endsSince;
    live.beforeWatched(this::begin);
    this.loop = BackgroundLoop.start(name, POLL_INTERVAL, () -> run.accept(this));
  }

  /** After the commit. */
  public void feedsChanged(Set<UUID> workspaceIds) {
    if (live.isWatched()) {
      feedsChanged.addAll(workspaceIds);
      loop.wake();
    }
  }

  /** Any series may have grown: other replicas were not heard for a while. */
  public void anyMayHaveGrown() {
    nextLookAt = System.nanoTime();
    loop.wake();
  }

  /** Rows that are stored already are not told. */
  private synchronized void begin() {
    told.clear();
    feedsChanged.clear();
    newest = INITIAL_WATERMARK;
    for (End end : ends(Instant.EPOCH)) {
      told.put(end.workspaceId(), end.lastSeq());
    }
  }

  /**
   * Has the series told that have grown; returns whether there were any. {@code telling} returns
   * those that may have more rows; when it fails, all of them are told again later.
   */
  public synchronized boolean tell(Function<Set<UUID>, Set<UUID>> listener) {
    if (!live.isWatched()) {
      return false;
    }
    lookIfDue();
    Set<UUID> series = Set.copyOf(feedsChanged);
    if (series.isEmpty()) {
      return false;
    }
    feedsChanged.removeAll(series);
    try {
      feedsChanged.addAll(listener.apply(series));
    } catch (RuntimeException e) {
      feedsChanged.addAll(series);
      throw e;
    }
    return true;
  }

  /** The last number of each of these series that was told; only within {@link #tell}. */
  public Map<UUID, Long> told(Set<UUID> series) {
    return series.stream().collect(Collectors.toMap(id -> id, this::lastTold));
  }

  private long lastTold(UUID workspaceId) {
    return told.getOrDefault(workspaceId, 0L);
  }

  /** Notes that a series is told up to this number; only within {@link #tell}. */
  public void setTold(UUID workspaceId, long seq) {
    told.put(workspaceId, seq);
  }

  private void lookIfDue() {
    long start = System.nanoTime();
    if (start - nextLookAt < 0) {
      return;
    }
    for (End end : ends(newest.minus(MAX_TRANSACTION))) {
      if (end.lastSeq() > lastTold(end.workspaceId())) {
        feedsChanged.add(end.workspaceId());
      }
    }
    long took = System.nanoTime() - start;
    nextLookAt = start + Math.max(POLL_INTERVAL.toNanos(), IDLE_SHARE * took);
  }

  private List<End> ends(Instant since) {
    List<End> ends = endsSince.apply(since);
    for (End end : ends) {
      newest = end.lastChangedAt().isAfter(newest) ? end.lastChangedAt() : newest;
    }
    return ends;
  }

  @Override
  public BackgroundLoop loop() {
    return loop;
  }
}

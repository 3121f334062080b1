package dev.muster.activity;

import dev.muster.activity.LoggedRepository.End;
import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvents;
import dev.muster.platform.loop.BackgroundLoop;
import dev.muster.workspace.Named;
import dev.muster.workspace.Workspaces;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Tells watchers of every new row of every feed, and of every answer that an agent gave, once and
 * in the feed's order, whichever replica wrote it (R6.10). Without watchers it does nothing and
 * costs nothing.
 *
 * <p>Once a second, one look at the ends of all feeds finds what no signal told; a look that takes
 * long is taken less often.
 */
@Component
class ActivityNews implements FeedListener {

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  private static final int IDLE_SHARE = 20;

  /** A row's time is drawn a while before its transaction's commit lets others see it. */
  private static final Duration LONGEST_TRANSACTION = Duration.ofSeconds(30);

  private static final Instant BEFORE_ALL = Instant.EPOCH.plus(LONGEST_TRANSACTION);

  private final LoggedRepository repository;
  private final LiveEvents live;
  private final Workspaces workspaces;
  private final AnswerNews answers;
  private final Set<UUID> grown = ConcurrentHashMap.newKeySet();

  /**
   * The last number of each feed that was told, so a signal that is lost, comes late or twice
   * changes nothing.
   */
  private final Map<UUID, Long> told = new HashMap<>();

  /** Feeds that may have rows that were not told. */
  private final Set<UUID> behind = new HashSet<>();

  private final BackgroundLoop loop;

  private Instant newest = BEFORE_ALL;
  private volatile long nextLookAt = System.nanoTime();

  ActivityNews(LoggedRepository repository, LiveEvents live, Workspaces workspaces) {
    this.repository = repository;
    this.live = live;
    this.workspaces = workspaces;
    this.answers = new AnswerNews(repository);
    live.beforeWatched(this::begin);
    this.loop = BackgroundLoop.start("activity-news", BETWEEN_LOOKS, this::tell);
  }

  @Override
  public void grown(Set<UUID> workspaceIds) {
    if (live.isWatched()) {
      grown.addAll(workspaceIds);
      loop.wake();
    }
  }

  @Override
  public void anyMayHaveGrown() {
    nextLookAt = System.nanoTime();
    loop.wake();
  }

  /** Rows that are stored already are not told. */
  private synchronized void begin() {
    told.clear();
    behind.clear();
    grown.clear();
    newest = BEFORE_ALL;
    for (End end : repository.endsSince(Instant.EPOCH)) {
      told.put(end.workspaceId(), end.lastSeq());
      newest = end.lastChangedAt().isAfter(newest) ? end.lastChangedAt() : newest;
    }
    answers.begin();
  }

  private synchronized void tell() {
    if (!live.isWatched()) {
      return;
    }
    lookIfDue();
    Set<UUID> feeds = Set.copyOf(grown);
    grown.removeAll(feeds);
    behind.addAll(feeds);
    tellRows();
    answers.tell(live::publish);
  }

  private void lookIfDue() {
    long start = System.nanoTime();
    if (start - nextLookAt < 0) {
      return;
    }
    for (End end : repository.endsSince(newest.minus(LONGEST_TRANSACTION))) {
      newest = end.lastChangedAt().isAfter(newest) ? end.lastChangedAt() : newest;
      if (end.lastSeq() > told.getOrDefault(end.workspaceId(), 0L)) {
        behind.add(end.workspaceId());
      }
    }
    long took = System.nanoTime() - start;
    nextLookAt = start + Math.max(BETWEEN_LOOKS.toNanos(), IDLE_SHARE * took);
  }

  /** What cannot be read stays to be told. */
  private void tellRows() {
    while (!behind.isEmpty()) {
      List<LoggedActivity> page =
          repository.after(
              behind.stream()
                  .collect(Collectors.toMap(feed -> feed, feed -> told.getOrDefault(feed, 0L))));
      live.publish(events(page));
      Map<UUID, Integer> counts = new HashMap<>();
      for (LoggedActivity row : page) {
        told.put(row.workspaceId(), row.seq());
        counts.merge(row.workspaceId(), 1, Integer::sum);
      }
      if (page.size() < LoggedRepository.MAX_ROWS) {
        behind.clear();
      }
      counts.forEach((feed, rows) -> {
        if (rows == LoggedRepository.MAX_ROWS_OF_A_FEED) {
          behind.add(feed);
        }
      });
    }
  }

  private List<LiveEvent> events(List<LoggedActivity> rows) {
    Map<UUID, Named> speakers =
        workspaces.named(
            rows.stream()
                .filter(row -> row.said() instanceof LoggedActivity.ByAgent)
                .map(LoggedActivity::workspaceId)
                .collect(Collectors.toSet()));
    List<LiveEvent> events = new ArrayList<>(rows.size());
    for (LoggedActivity row : rows) {
      events.add(row.logged());
      if (row.said() != null) {
        @Nullable Named speaker = speakers.get(row.workspaceId());
        events.add(row.told(row.said(), speaker == null ? "" : speaker.name()));
      }
    }
    return events;
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}

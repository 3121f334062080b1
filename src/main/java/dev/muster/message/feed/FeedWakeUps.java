package dev.muster.message.feed;

import dev.muster.event.EventLog.RecordedEventListener;
import dev.muster.event.EventType;
import dev.muster.event.RecordedEvent;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.FeedChangeListener;
import dev.muster.message.store.OutcomeRepository;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.LongPollRegistry;
import dev.muster.platform.work.Pace;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Gatherers;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Wakes the long polls that a change of a feed may answer: those for its new rows, and those for
 * the outcome of one of its messages. A notification wakes them at once. Without one, two queries
 * over all that is awaited find the changes within about 1 s. Rows that this replica did not append
 * are read once for all woken polls.
 */
@Component
class FeedWakeUps implements FeedChangeListener, RecordedEventListener {

  /** The wait key of the long polls for new rows; that for an outcome is the row's key. */
  record FeedTopic(UUID workspaceId) {}

  private static final String LAST_SEQS =
      "SELECT workspace_id, last_seq FROM activity_feeds WHERE workspace_id = ANY (:ids)";

  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
  private static final int BATCH_SIZE = 1000;

  private final LongPollRegistry polls;
  private final RecentRows recent;
  private final OutcomeRepository outcomes;
  private final JdbcClient db;
  private final Set<UUID> unread = ConcurrentHashMap.newKeySet();
  private final BackgroundLoop looks;
  private final BackgroundLoop readings;

  FeedWakeUps(
      LongPollRegistry polls,
      RecentRows recent,
      OutcomeRepository outcomes,
      JdbcClient db,
      Pace pace,
      BackgroundLoops loops) {
    this.polls = polls;
    this.recent = recent;
    this.outcomes = outcomes;
    this.db = db;
    this.readings = loops.start("feed-readers", POLL_INTERVAL, this::readAndWake);
    this.looks = loops.start("feed-wake-ups", pace.of(POLL_INTERVAL), this::look);
  }

  @Override
  public void feedsChanged(Set<UUID> workspaceIds) {
    wakeReaders(workspaceIds);
    wakeSenders(workspaceIds);
  }

  @Override
  public void changedElsewhere(Set<UUID> workspaceIds) {
    wakeSenders(workspaceIds);
    workspaceIds.stream().filter(id -> polls.waitersOf(new FeedTopic(id)) > 0).forEach(unread::add);
    readings.wake();
  }

  private void wakeReaders(Set<UUID> workspaceIds) {
    polls.wake(workspaceIds.stream().map(FeedTopic::new).toList());
  }

  private void wakeSenders(Set<UUID> workspaceIds) {
    polls.wake(
        polls.topics(ActivityKey.class).stream()
            .filter(key -> workspaceIds.contains(key.workspaceId()))
            .toList());
  }

  /** Caches new rows, then wakes the polls. If the read fails, each poll reads for itself. */
  private void readAndWake() {
    Set<UUID> feeds = Set.copyOf(unread);
    unread.removeAll(feeds);
    try {
      recent.read(feeds);
    } finally {
      wakeReaders(feeds);
    }
  }

  @Override
  public void resync() {
    looks.wake();
  }

  /** Wakes the polls that a removed workspace answers with a refusal. */
  @Override
  public void follow(List<RecordedEvent> events) {
    feedsChanged(RecordedEvent.workspacesOf(events, EventType.WORKSPACE_REMOVED));
  }

  /** Looks for readers also when the look for senders fails. */
  private void look() {
    try {
      polls.topics(ActivityKey.class).stream()
          .gather(Gatherers.windowFixed(BATCH_SIZE))
          .map(outcomes::decided)
          .forEach(polls::wake);
    } finally {
      polls.topics(FeedTopic.class).stream()
          .map(FeedTopic::workspaceId)
          .gather(Gatherers.windowFixed(BATCH_SIZE))
          .forEach(this::findNewRows);
      if (!unread.isEmpty()) {
        readings.wake();
      }
    }
  }

  private void findNewRows(List<UUID> feeds) {
    db.sql(LAST_SEQS)
        .param("ids", feeds.toArray(UUID[]::new))
        .query(row -> {
          UUID feed = row.getObject("workspace_id", UUID.class);
          if (polls.seenByAll(new FeedTopic(feed)).orElse(Long.MAX_VALUE)
              < row.getLong("last_seq")) {
            unread.add(feed);
          }
        });
  }

  @PreDestroy
  void close() {
    looks.close();
    readings.close();
  }
}

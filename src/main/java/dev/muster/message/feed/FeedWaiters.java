package dev.muster.message.feed;

import dev.muster.event.EventLog.RecordedEventListener;
import dev.muster.event.EventType;
import dev.muster.event.RecordedEvent;
import dev.muster.message.store.FeedChangeListener;
import dev.muster.platform.longpoll.LongPollRegistry;
import dev.muster.platform.loop.BackgroundLoop;
import dev.muster.platform.loop.BackgroundLoops;
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
 * Wakes the long polls of feeds that have new rows. A notification wakes them at once. Without one,
 * a query over all awaited feeds finds the rows within about 1 s. Rows that this replica did not
 * append are read once for all woken polls.
 */
@Component
class FeedWaiters implements FeedChangeListener, RecordedEventListener {

  /** The wait key of a feed's long polls. */
  record FeedTopic(UUID workspaceId) {}

  private static final String LAST_SEQS =
      "SELECT workspace_id, last_seq FROM activity_feeds WHERE workspace_id = ANY (:ids)";

  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
  private static final int FEEDS_IN_A_SLICE = 1000;

  private final LongPollRegistry polls;
  private final RecentRows recent;
  private final JdbcClient db;
  private final Set<UUID> unread = ConcurrentHashMap.newKeySet();
  private final BackgroundLoop loop;
  private final BackgroundLoop readings;

  FeedWaiters(LongPollRegistry polls, RecentRows recent, JdbcClient db, BackgroundLoops loops) {
    this.polls = polls;
    this.recent = recent;
    this.db = db;
    this.readings = loops.start("feed-readers", POLL_INTERVAL, this::readAndWake);
    this.loop = loops.start("feed-waiters", POLL_INTERVAL, this::look);
  }

  @Override
  public void feedsChanged(Set<UUID> workspaceIds) {
    polls.wake(workspaceIds.stream().map(FeedTopic::new).toList());
  }

  @Override
  public void changedElsewhere(Set<UUID> workspaceIds) {
    workspaceIds.stream().filter(id -> polls.isWaitedFor(new FeedTopic(id))).forEach(unread::add);
    readings.wake();
  }

  /** Caches new rows, then wakes the polls. If the read fails, each poll reads for itself. */
  private void readAndWake() {
    Set<UUID> feeds = Set.copyOf(unread);
    unread.removeAll(feeds);
    try {
      recent.read(feeds);
    } finally {
      feedsChanged(feeds);
    }
  }

  @Override
  public void resync() {
    loop.wake();
  }

  /** Wakes the polls of removed workspaces, so that they respond with the refusal. */
  @Override
  public void follow(List<RecordedEvent> events) {
    feedsChanged(RecordedEvent.workspacesOf(events, EventType.WORKSPACE_REMOVED));
  }

  private void look() {
    polls.topics(FeedTopic.class).stream()
        .map(FeedTopic::workspaceId)
        .gather(Gatherers.windowFixed(FEEDS_IN_A_SLICE))
        .forEach(this::lookAt);
    if (!unread.isEmpty()) {
      readings.wake();
    }
  }

  private void lookAt(List<UUID> slice) {
    db.sql(LAST_SEQS)
        .param("ids", slice.toArray(UUID[]::new))
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
    loop.close();
    readings.close();
  }
}

package dev.muster.activity;

import dev.muster.event.EventFollower;
import dev.muster.event.EventType;
import dev.muster.event.RecordedEvent;
import dev.muster.platform.longpoll.LongPolls;
import dev.muster.platform.loop.BackgroundLoop;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Wakes the polls that wait for rows of feeds: at once when one is told, and within a second when
 * it was not, by one look at all feeds that are waited for.
 */
@Component
class FeedWatch implements FeedListener, EventFollower {

  /** What a poll of a feed waits for. */
  record FeedTopic(UUID workspaceId) {}

  private static final String LAST_SEQS =
      "SELECT workspace_id, last_seq FROM activity_feeds WHERE workspace_id = ANY (:ids)";

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  private static final int FEEDS_IN_A_SLICE = 1000;

  private final LongPolls polls;
  private final JdbcClient db;
  private final BackgroundLoop loop;

  FeedWatch(LongPolls polls, JdbcClient db) {
    this.polls = polls;
    this.db = db;
    this.loop = BackgroundLoop.start("feed-watch", BETWEEN_LOOKS, this::look);
  }

  @Override
  public void grown(Set<UUID> workspaceIds) {
    polls.wake(workspaceIds.stream().map(FeedTopic::new).toList());
  }

  @Override
  public void anyMayHaveGrown() {
    loop.wake();
  }

  /** Readers of a workspace that was removed are told so. */
  @Override
  public void follow(List<RecordedEvent> events) {
    grown(RecordedEvent.workspacesOf(events, EventType.WORKSPACE_REMOVED));
  }

  private void look() {
    List<UUID> feeds = polls.topics(FeedTopic.class).stream().map(FeedTopic::workspaceId).toList();
    for (int from = 0; from < feeds.size(); from += FEEDS_IN_A_SLICE) {
      lookAt(feeds.subList(from, Math.min(from + FEEDS_IN_A_SLICE, feeds.size())));
    }
  }

  private void lookAt(List<UUID> slice) {
    db.sql(LAST_SEQS)
        .param("ids", slice.toArray(UUID[]::new))
        .query(row -> {
          UUID feed = row.getObject("workspace_id", UUID.class);
          polls.wakeOlderThan(new FeedTopic(feed), row.getLong("last_seq"));
        });
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}

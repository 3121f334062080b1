package dev.muster.message.flow;

import dev.muster.event.EventLog.RecordedEventListener;
import dev.muster.event.EventType;
import dev.muster.event.RecordedEvent;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.FeedChangeListener;
import dev.muster.message.store.OutcomeRepository;
import dev.muster.platform.longpoll.LongPollRegistry;
import dev.muster.platform.loop.BackgroundLoop;
import dev.muster.platform.loop.BackgroundLoops;
import dev.muster.platform.pace.Pace;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Gatherers;
import org.springframework.stereotype.Component;

/**
 * Wakes long polls for the outcome of a delivery, by the key of its row. A notified change of the
 * feed wakes them at once. Without a notification they wake within about 1 s, by one query for all
 * awaited outcomes.
 */
@Component
class OutcomeWakeUps implements FeedChangeListener, RecordedEventListener {

  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
  private static final int BATCH_SIZE = 1000;

  private final LongPollRegistry polls;
  private final OutcomeRepository outcomes;
  private final BackgroundLoop loop;

  OutcomeWakeUps(
      LongPollRegistry polls, OutcomeRepository outcomes, Pace pace, BackgroundLoops loops) {
    this.polls = polls;
    this.outcomes = outcomes;
    this.loop = loops.start("outcome-waiters", pace.of(POLL_INTERVAL), this::look);
  }

  @Override
  public void feedsChanged(Set<UUID> workspaceIds) {
    List<ActivityKey> waited = polls.topics(ActivityKey.class);
    if (!waited.isEmpty()) {
      polls.wake(waited.stream().filter(one -> workspaceIds.contains(one.workspaceId())).toList());
    }
  }

  @Override
  public void resync() {
    loop.wake();
  }

  /** Wakes senders that wait for a removed agent, so that they get an error. */
  @Override
  public void follow(List<RecordedEvent> events) {
    feedsChanged(RecordedEvent.workspacesOf(events, EventType.WORKSPACE_REMOVED));
  }

  private void look() {
    polls.topics(ActivityKey.class).stream()
        .gather(Gatherers.windowFixed(BATCH_SIZE))
        .map(outcomes::decided)
        .forEach(polls::wake);
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}

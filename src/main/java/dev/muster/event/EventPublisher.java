package dev.muster.event;

import dev.muster.event.ReplicaNotifier.ReplicaNotificationListener;
import dev.muster.event.ReplicaNotifier.ReplicaTopic;
import dev.muster.platform.loop.BackgroundLoop;
import dev.muster.platform.loop.BackgroundLoops;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import org.springframework.stereotype.Component;

/**
 * Stamps committed events with consecutive numbers and updates this replica's event log.
 *
 * <p>One publisher at a time stamps events, over all replicas. An event gets its number only after
 * its row is committed, so a reader that pages by number skips no event.
 *
 * <p>The publisher runs after every commit that recorded an event and on each notification from
 * another replica. It also runs once a second, to find events of a failed replica and events whose
 * notification was lost.
 */
@Component
class EventPublisher implements ReplicaNotificationListener {

  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  private final EventRepository repository;
  private final EventLog log;
  private final ReplicaNotifier notifier;
  private final BackgroundLoop loop;
  private volatile boolean recorded;

  EventPublisher(
      EventRepository repository, EventLog log, ReplicaNotifier notifier, BackgroundLoops loops) {
    this.repository = repository;
    this.log = log;
    this.notifier = notifier;
    this.loop = loops.start("event-publisher", POLL_INTERVAL, this::look);
  }

  /** Wakes the publisher after the commit of an event that has no number yet. */
  void recorded() {
    recorded = true;
    loop.wake();
  }

  @Override
  public ReplicaTopic topic() {
    return ReplicaTopic.EVENTS;
  }

  @Override
  public void onNotification(Set<UUID> workspaceIds) {
    loop.wake();
  }

  @Override
  public void onResync() {
    loop.wake();
  }

  /** Publishes every event that was committed before this call. */
  void publishAll() {
    if (repository.hasUnpublished() && publish()) {
      loop.wake();
    }
  }

  /** Publishes all unpublished events; returns whether there were any. */
  private boolean publish() {
    boolean published = false;
    int stamped;
    do {
      stamped = repository.publish(log.head());
      published |= stamped > 0;
    } while (stamped == EventRepository.BATCH_SIZE);
    if (published) {
      notifier.send(ReplicaTopic.EVENTS);
    }
    return published;
  }

  /**
   * Publishes, then loads new events into the log.
   *
   * <p>{@code hasUnpublished} scans past all recently numbered rows, so it is skipped when a commit
   * has already set the flag.
   */
  private void look() {
    boolean known = recorded;
    recorded = false;
    if (known || repository.hasUnpublished()) {
      publish();
    }
    log.catchUp();
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}

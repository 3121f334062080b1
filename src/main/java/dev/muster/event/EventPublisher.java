package dev.muster.event;

import dev.muster.platform.loop.BackgroundLoop;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import org.springframework.stereotype.Component;

/**
 * Stamps committed events with consecutive numbers, in order, one publisher at a time over all
 * replicas, and keeps this replica's log of them up to date.
 *
 * <p>An event's number is drawn only when its row is visible to everybody, so a reader who pages by
 * number can skip nothing. It runs after every commit that recorded something, when another replica
 * calls, and once a second for what a lost replica left behind or a lost call did not tell.
 */
@Component
class EventPublisher implements ReplicaNotificationListener {

  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  private final EventRepository repository;
  private final EventLog log;
  private final ReplicaNotifier calls;
  private final BackgroundLoop loop;
  private volatile boolean recorded;

  EventPublisher(EventRepository repository, EventLog log, ReplicaNotifier calls) {
    this.repository = repository;
    this.log = log;
    this.calls = calls;
    this.loop = BackgroundLoop.start("event-publisher", POLL_INTERVAL, this::look);
  }

  /** An event was committed, which wants its number. */
  void recorded() {
    recorded = true;
    loop.wake();
  }

  @Override
  public ReplicaTopic topic() {
    return ReplicaTopic.EVENTS;
  }

  @Override
  public void called(Set<UUID> workspaceIds) {
    loop.wake();
  }

  @Override
  public void onResync() {
    loop.wake();
  }

  /** Returns when everything that was committed before the call is published. */
  void publishAll() {
    if (repository.hasUnpublished() && publish()) {
      loop.wake();
    }
  }

  /** Whether there was something to publish. */
  private boolean publish() {
    boolean published = false;
    int stamped;
    do {
      stamped = repository.publish(log.head());
      published |= stamped > 0;
    } while (stamped == EventRepository.BATCH_SIZE);
    if (published) {
      calls.call(ReplicaTopic.EVENTS);
    }
    return published;
  }

  /** What is looked for goes past all events that were numbered lately, so it is not done twice. */
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

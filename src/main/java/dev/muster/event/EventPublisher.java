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
class EventPublisher implements ReplicaCallReceiver {

  private static final Duration LOOKS_EVERY = Duration.ofSeconds(1);

  private final EventRepository repository;
  private final EventLog log;
  private final ReplicaCalls calls;
  private final BackgroundLoop loop;

  EventPublisher(EventRepository repository, EventLog log, ReplicaCalls calls) {
    this.repository = repository;
    this.log = log;
    this.calls = calls;
    this.loop = BackgroundLoop.start("event-publisher", LOOKS_EVERY, this::look);
  }

  void wake() {
    loop.wake();
  }

  @Override
  public ReplicaTopic topic() {
    return ReplicaTopic.EVENTS;
  }

  @Override
  public void called(Set<UUID> workspaceIds) {
    wake();
  }

  @Override
  public void calledAboutAll() {
    wake();
  }

  /** Returns when everything that was committed before the call is published. */
  void publishAll() {
    if (publish()) {
      wake();
    }
  }

  /** Whether there was something to publish. */
  private boolean publish() {
    if (!repository.hasUnpublished()) {
      return false;
    }
    while (repository.publish(log.head()) == EventRepository.MOST_IN_A_PUBLICATION) {
      // a full batch: there may be more
    }
    calls.call(ReplicaTopic.EVENTS);
    return true;
  }

  private void look() {
    publish();
    log.catchUp();
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}

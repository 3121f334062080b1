package dev.muster.event;

import dev.muster.platform.loop.BackgroundLoop;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import org.springframework.stereotype.Component;

/**
 * Stamps committed events with consecutive numbers, in order, one publisher at a time over all
 * replicas.
 *
 * <p>An event's number is drawn only when its row is visible to everybody, so a reader who pages by
 * number can skip nothing. It runs after every commit that recorded something, and once a second
 * for what a lost replica left behind.
 */
@Component
class EventPublisher {

  private static final Duration LOOKS_EVERY = Duration.ofSeconds(1);

  private final EventRepository repository;
  private final BackgroundLoop loop;

  EventPublisher(EventRepository repository) {
    this.repository = repository;
    this.loop = BackgroundLoop.start("event-publisher", LOOKS_EVERY, this::publishAll);
  }

  void wake() {
    loop.wake();
  }

  /** Returns when everything that was committed before the call is published. */
  void publishAll() {
    while (repository.hasUnpublished()
        && repository.publish() == EventRepository.MOST_IN_A_PUBLICATION) {
      // a full batch: there may be more
    }
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}

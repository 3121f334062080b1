package dev.muster.event;

import dev.muster.event.ReplicaNotifier.ReplicaNotificationListener;
import dev.muster.event.ReplicaNotifier.ReplicaTopic;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.FailingUnits;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Component;

/**
 * Stamps committed events with consecutive numbers and updates this replica's event log.
 *
 * <p>One publisher at a time stamps events, over all replicas. An event gets its number only after
 * its row is committed, so a reader that pages by number skips no event.
 *
 * <p>The publisher runs after every commit that recorded an event here, and once a second, for
 * events of a failed replica. A notification of another replica only says that there are new
 * numbers to read.
 */
@Component
class EventPublisher implements ReplicaNotificationListener {

  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  private final EventRepository repository;
  private final EventLog log;
  private final ReplicaNotifier notifier;
  private final FailingUnits failing;
  private final BackgroundLoop loop;
  private final SettledOrdinals settled = new SettledOrdinals();
  private volatile boolean recorded;
  private long lookedAtAllAt = System.nanoTime() - POLL_INTERVAL.toNanos();

  EventPublisher(
      EventRepository repository,
      EventLog log,
      ReplicaNotifier notifier,
      MeterRegistry metrics,
      BackgroundLoops loops) {
    this.repository = repository;
    this.failing = new FailingUnits("event-publisher", metrics);
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
    if (repository.hasUnpublished() && publish(0)) {
      loop.wake();
    }
  }

  /** Publishes all unpublished events after an ordinal; returns whether there were any. */
  private boolean publish(long afterOrdinal) {
    boolean published = false;
    int stamped;
    do {
      stamped = publishNext(afterOrdinal);
      published |= stamped > 0;
    } while (stamped == EventRepository.BATCH_SIZE);
    if (published) {
      notifier.send(ReplicaTopic.EVENTS);
    }
    return published;
  }

  /** Stamps the next events, without those that fail by themselves; returns how many. */
  private int publishNext(long afterOrdinal) {
    List<Long> delayed = failing.delayed(Long.class);
    try {
      return repository.publish(log.head(), afterOrdinal, delayed);
    } catch (RuntimeException e) {
      if (FailingUnits.isOutage(e)) {
        throw e;
      }
      AtomicInteger stamped = new AtomicInteger();
      failing.runAll(
          repository.unpublished(delayed),
          ordinal -> ordinal,
          some -> stamped.addAndGet(repository.publishThese(log.head(), some)));
      return stamped.get();
    }
  }

  /** Publishes, then loads new events into the log. */
  private void look() {
    boolean known = recorded;
    recorded = false;
    if (System.nanoTime() - lookedAtAllAt >= POLL_INTERVAL.toNanos()) {
      lookAtAll(known);
    } else if (known) {
      boolean _ = publish(settled.upTo());
    }
    log.catchUp();
  }

  /** Also the first look after an outage, since another database may answer then. */
  private void lookAtAll(boolean isKnown) {
    long now = System.nanoTime();
    SettledOrdinals.Moment before = repository.moment();
    if (isKnown || repository.hasUnpublished()) {
      boolean _ = publish(0);
    }
    settled.lookedAtAll(before);
    lookedAtAllAt = now;
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}

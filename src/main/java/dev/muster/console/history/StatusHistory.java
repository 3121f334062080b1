package dev.muster.console.history;

import dev.muster.console.history.HistoryRepository.Head;
import dev.muster.event.Events;
import dev.muster.event.RecordedEvent;
import dev.muster.platform.work.DailyDeletion;
import dev.muster.platform.work.FailingUnits;
import dev.muster.platform.work.Pace;
import dev.muster.platform.work.RecurringJob;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Reads the recorded events by their numbers and writes the history of statuses.
 *
 * <p>One replica at a time runs the job. It reads a page of events, then stores their transitions
 * and the number of the last event in one transaction. That transaction does nothing when another
 * replica was faster. So a crash loses no transition and stores none twice.
 */
@Configuration(proxyBeanMethods = false)
class StatusHistory {

  private static final Logger log = LoggerFactory.getLogger(StatusHistory.class);

  private static final Duration INTERVAL = Duration.ofSeconds(2);
  private static final int PAGE = 1000;

  /**
   * Bounds a run, so that other jobs get the thread, and so that many changes at once are not
   * slowed by their history. The next run continues.
   */
  private static final int MAX_PAGES = 10;

  /** Longer than a transaction lasts, because the time of a transition is before its commit. */
  private static final Duration SETTLED = Duration.ofSeconds(5);

  private static final int BATCH_SIZE = 1000;

  private final Events events;
  private final HistoryRepository history;
  private final MinuteRepository minutes;
  private final int days;
  private final DailyDeletion deletion;
  private final FailingUnits failing;
  private final Duration interval;
  private final Duration settled;

  @ConfigurationProperties("muster.status-history")
  record Settings(Duration retention) {

    int days() {
      return Math.toIntExact(retention.toDays());
    }
  }

  StatusHistory(
      Events events,
      HistoryRepository history,
      MinuteRepository minutes,
      Settings settings,
      Pace pace,
      MeterRegistry metrics) {
    this.events = events;
    this.history = history;
    this.minutes = minutes;
    this.days = settings.days();
    this.failing = new FailingUnits("status-history", metrics);
    this.interval = pace.of(INTERVAL);
    this.settled = pace.of(SETTLED);
    this.deletion =
        new DailyDeletion(
            "status-history-retention",
            metrics,
            BATCH_SIZE,
            (most, passedOver) -> history.deleteOld(days, most, passedOver),
            (most, passedOver) -> minutes.deleteOld(days, most, passedOver));
  }

  @Bean
  RecurringJob statusHistoryJob() {
    return new RecurringJob("status-history", interval, this::follow);
  }

  @Bean
  RecurringJob statusHistoryRetentionJob() {
    return deletion.job();
  }

  /** Reads the new events and stores their transitions, then the minutes that are complete. */
  void follow() {
    for (int page = 0; page < MAX_PAGES; page++) {
      Optional<Head> head = history.head();
      if (head.isEmpty()) {
        history.begin();
      } else if (!followPage(head.get())) {
        break;
      }
    }
    history.head().filter(Head::isUpToDate).ifPresent(this::writeMinutes);
  }

  /** Stores one page; returns whether there may be more. */
  private boolean followPage(Head head) {
    if (head.isUpToDate()) {
      if (head.upTo().isBefore(head.now().minus(settled))) {
        history.add(head, head.lastSeq(), head.now(), List.of(), failing);
      }
      return false;
    }
    List<RecordedEvent> page =
        events.after(head.lastSeq(), Optional.empty(), Optional.empty(), PAGE);
    boolean isNext = !page.isEmpty() && page.getFirst().seq() == head.lastSeq() + 1;
    if (!isNext && history.oldestEvent() > head.lastSeq() + 1) {
      log.warn(
          "events {} to {} were deleted before they were read: the history of statuses is rebuilt"
              + " from the events that are kept",
          head.lastSeq() + 1,
          page.isEmpty() ? head.newest() : page.getFirst().seq() - 1);
      history.clear();
      return true;
    }
    if (page.isEmpty()) { // no event has the numbers up to the newest
      return history.add(head, head.newest(), head.now(), List.of(), failing);
    }
    List<StatusChange> changes = new ArrayList<>();
    failing.passAll(
        page,
        event -> "event " + event.seq(),
        some ->
            changes.addAll(some.stream().map(StatusChange::of).flatMap(Optional::stream).toList()));
    RecordedEvent last = page.getLast();
    return history.add(head, last.seq(), head.completeUpTo(last), changes, failing);
  }

  private void writeMinutes(Head head) {
    Instant to = head.upTo().minus(settled).truncatedTo(ChronoUnit.MINUTES);
    if (to.isAfter(head.minutesTo())) {
      minutes.write(head, to);
    }
  }

  /** Deletes all that is older than the setting. */
  int sweep() {
    return deletion.sweep();
  }
}

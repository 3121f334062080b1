package dev.muster.webhook;

import dev.muster.event.EventLog;
import dev.muster.event.EventType;
import dev.muster.event.RecordedEvent;
import dev.muster.platform.http.Owner;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.postgres.ControlPlaneUptime;
import dev.muster.platform.postgres.Uptime;
import dev.muster.platform.work.FailingUnits;
import dev.muster.webhook.NotificationRepository.Head;
import dev.muster.webhook.TroubleChange.Begins;
import dev.muster.webhook.TroubleChange.Ends;
import dev.muster.webhook.TroubleChange.Leaves;
import dev.muster.webhook.WebhookSettings.Kind;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Reads the recorded events and creates notifications from them.
 *
 * <p>One replica at a time does this. Its position, the troubles and the notifications change in
 * one transaction, so a crash loses nothing.
 */
@Component
class WebhookCollector {

  /** The maximum number of events in one transaction. */
  private static final int MAX_EVENTS = 5_000;

  /** Older suspensions and uptime gaps are not reported. */
  private static final Duration REPORTED_WITHIN = Duration.ofHours(1);

  private final EventLog events;
  private final ControlPlaneUptime uptime;
  private final TroubleRepository troubles;
  private final NotificationRepository notifications;
  private final NotificationWriter writer;
  private final WebhookSettings settings;
  private final CommitAwareTransactions transactions;
  private final FailingUnits failing;

  WebhookCollector(
      EventLog events,
      ControlPlaneUptime uptime,
      TroubleRepository troubles,
      NotificationRepository notifications,
      NotificationWriter writer,
      WebhookSettings settings,
      CommitAwareTransactions transactions,
      MeterRegistry metrics) {
    this.events = events;
    this.uptime = uptime;
    this.troubles = troubles;
    this.notifications = notifications;
    this.writer = writer;
    this.settings = settings;
    this.transactions = transactions;
    this.failing = new FailingUnits("webhook", metrics);
  }

  /** Starts after the newest event, unless a replica has started before. */
  void begin() {
    notifications.begin(events.head(), uptime.read().upSince());
  }

  /**
   * Reads new events and, if none is left, creates the notifications that are due. Returns whether
   * there are more events that can be read: retention may have deleted them.
   */
  @Transactional
  public boolean collect() {
    Optional<Head> locked = notifications.lockHead();
    if (locked.isEmpty()) {
      return false;
    }
    Head head = locked.get();
    long newest = events.head();
    Uptime now = uptime.read();
    Head moved = followServer(followEvents(head, now.now()), now);
    if (!moved.equals(head)) {
      notifications.moveHead(moved);
    }
    if (moved.lastSeq() < newest) {
      return moved.lastSeq() > head.lastSeq(); // a trouble may have ended already
    }
    writer.writeDue(now.now());
    return false;
  }

  private Head followEvents(Head head, Instant now) {
    long seq = head.lastSeq();
    boolean holdReported = head.holdReported();
    Map<String, TroubleChange> changes = new HashMap<>();
    List<RecordedEvent> page = events.after(Owner.SERVER, seq);
    for (int read = 0;
        !page.isEmpty() && read < MAX_EVENTS;
        page = events.after(Owner.SERVER, seq)) {
      for (RecordedEvent event : page) {
        holdReported |= follow(event, changes, now);
      }
      read += page.size();
      seq = page.getLast().seq();
    }
    apply(changes, now);
    return new Head(seq, head.upSince(), holdReported);
  }

  /** Returns whether the event begins a suspension, and it was reported. */
  private boolean follow(RecordedEvent event, Map<String, TroubleChange> changes, Instant now) {
    boolean isNewSuspension = isNewSuspension(event, now);
    AtomicBoolean isReported = new AtomicBoolean();
    failing.passAll(
        List.of(event),
        one -> "event " + one.seq(),
        _ -> {
          TroubleChange.of(event).forEach(change -> changes.put(change.subject(), change));
          if (isNewSuspension) {
            transactions.runNested(() -> writer.writeSuspension(event, now));
            isReported.set(true);
          }
        });
    return isReported.get();
  }

  private void apply(Map<String, TroubleChange> changes, Instant now) {
    List<Begins> begun = new ArrayList<>();
    List<String> ended = new ArrayList<>();
    List<String> left = new ArrayList<>();
    for (TroubleChange change : changes.values()) {
      switch (change) {
        case Begins begins -> begun.add(begins);
        case Ends(String subject) -> ended.add(subject);
        case Leaves(String subject) -> left.add(subject);
      }
    }
    failing.passAll(
        begun,
        one -> "trouble of " + one.subject(),
        some -> transactions.runNested(() -> troubles.begin(some, now)));
    end(ended, now);
    leave(left);
  }

  private void end(List<String> subjects, Instant now) {
    failing.passAll(
        subjects,
        subject -> "trouble of " + subject,
        some -> transactions.runNested(() -> troubles.end(some, now)));
  }

  private void leave(List<String> subjects) {
    failing.passAll(
        subjects,
        subject -> "trouble of " + subject,
        some -> transactions.runNested(() -> troubles.leave(some)));
  }

  private boolean isNewSuspension(RecordedEvent event, Instant now) {
    return event.eventType().equals(EventType.LIVENESS_SUSPENDED.name())
        && settings.reports(Kind.OFFLINE)
        && event.createdAt().isAfter(now.minus(REPORTED_WITHIN));
  }

  /** Reports the end of a mass silence, once its begin is taken, and of an uptime gap. */
  private Head followServer(Head head, Uptime uptime) {
    Instant now = uptime.now();
    boolean holdReported = head.holdReported();
    if (holdReported && uptime.holdSince() == null && !notifications.waits(Cause.MASS_SILENCE)) {
      holdReported =
          settings.reports(Kind.RECOVERED)
              && !isWritten("the end of a mass silence", () -> writer.writeResumption(now));
    }
    Instant upSince = uptime.upSince();
    boolean isFirstStart = head.lastSeq() == 0; // then no replica was up before
    boolean isToReport =
        !isFirstStart
            && !upSince.equals(head.upSince())
            && settings.reports(Kind.RECOVERED)
            && upSince.isAfter(now.minus(REPORTED_WITHIN));
    boolean isDone =
        !isToReport || isWritten("the end of an uptime gap", () -> writer.writeEndOfGap(uptime));
    return new Head(head.lastSeq(), isDone ? upSince : head.upSince(), holdReported);
  }

  private boolean isWritten(String what, Runnable writing) {
    return failing.run(what, () -> transactions.runNested(writing));
  }
}

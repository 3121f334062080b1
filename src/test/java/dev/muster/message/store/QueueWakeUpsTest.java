package dev.muster.message.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.event.EventType;
import dev.muster.event.RecordedEvent;
import dev.muster.platform.text.RawJson;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Which targets an event wakes in the queue (R7.7). */
class QueueWakeUpsTest {

  private static final UUID TARGET = UUID.randomUUID();
  private static final UUID OTHER = UUID.randomUUID();

  private final QueueWakeUps wakeUps = new QueueWakeUps();
  private final AtomicInteger wakes = new AtomicInteger();

  QueueWakeUpsTest() {
    wakeUps.wakeWith(wakes::incrementAndGet);
  }

  private static RecordedEvent event(EventType type, UUID workspace) {
    return new RecordedEvent(
        UUID.randomUUID(), 1, type.name(), workspace, new RawJson("{}"), Instant.EPOCH);
  }

  private void hasAWaitingMessage(UUID target) {
    wakeUps.endLook(wakeUps.beginLook());
    wakeUps.queued(Set.of(target));
    assertThat(wakeUps.takeWoken()).containsExactly(target);
    wakes.set(0);
  }

  @Test
  void wakesATargetWithANewMessage() {
    wakeUps.queued(Set.of(TARGET));

    assertThat(wakes).hasValue(1);
    assertThat(wakeUps.takeWoken()).containsExactly(TARGET);
    assertThat(wakeUps.takeWoken()).isEmpty();
  }

  @Test
  void wakesATargetWithAWaitingMessageAtItsHeartbeat() {
    hasAWaitingMessage(TARGET);

    wakeUps.heartbeatsStored(List.of(OTHER, TARGET));

    assertThat(wakes).hasValue(1);
    assertThat(wakeUps.takeWoken()).containsExactly(TARGET);
  }

  @Test
  void wakesATargetThatCameOnlineOnAnyReplica() {
    hasAWaitingMessage(TARGET);

    wakeUps.follow(
        List.of(
            event(EventType.WORKSPACE_ONLINE, OTHER), event(EventType.WORKSPACE_OFFLINE, TARGET)));
    assertThat(wakeUps.takeWoken()).isEmpty();
    wakeUps.follow(List.of(event(EventType.WORKSPACE_ONLINE, TARGET)));

    assertThat(wakes).hasValue(1);
    assertThat(wakeUps.takeWoken()).containsExactly(TARGET);
  }

  @Test
  void wakesNoTargetWithoutAWaitingMessage() {
    hasAWaitingMessage(TARGET);
    wakeUps.endLook(wakeUps.beginLook());

    wakeUps.heartbeatsStored(List.of(TARGET));

    assertThat(wakes).hasValue(0);
    assertThat(wakeUps.takeWoken()).isEmpty();
  }

  /** The sweep may have passed the target before the message was queued. */
  @Test
  void wakesATargetWhoseMessageWasQueuedDuringASweep() {
    Set<UUID> found = wakeUps.beginLook();
    wakeUps.queued(Set.of(TARGET));
    assertThat(wakeUps.takeWoken()).containsExactly(TARGET);
    wakeUps.endLook(found);

    wakeUps.heartbeatsStored(List.of(TARGET));

    assertThat(wakeUps.takeWoken()).containsExactly(TARGET);
  }

  @Test
  void keepsATargetThatCouldNotBeHandled() {
    wakeUps.queued(Set.of(TARGET));
    wakeUps.leaveWoken(wakeUps.takeWoken());

    assertThat(wakes).hasValue(1);
    assertThat(wakeUps.takeWoken()).containsExactly(TARGET);
  }

  /** What kept the target from being handled may be over, such as a lack of permits. */
  @Test
  void wakesATargetThatWasLeft() {
    wakeUps.queued(Set.of(TARGET));
    wakeUps.leaveWoken(wakeUps.takeWoken());

    wakeUps.wake(List.of(TARGET));

    assertThat(wakes).hasValue(2);
    assertThat(wakeUps.takeWoken()).containsExactly(TARGET);
  }

  @Test
  void returnsTargetsThatWereLeftFirst() {
    UUID alsoLeft = UUID.randomUUID();
    wakeUps.wake(List.of(OTHER));
    wakeUps.wake(List.of(alsoLeft));

    wakeUps.leaveWoken(List.of(TARGET, alsoLeft));

    assertThat(wakeUps.takeWoken()).containsExactly(TARGET, alsoLeft, OTHER);
  }
}

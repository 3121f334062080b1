package dev.muster.platform.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.platform.quota.Quota.Grant;
import dev.muster.testing.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SlotsTest {

  private static final Duration LONG = Duration.ofDays(1);

  private final Quota quota = new Quota(4, 2);
  private final Slots slots = new Slots(quota);
  private final List<String> granted = Collections.synchronizedList(new ArrayList<>());
  private final List<Thread> waiting = new ArrayList<>();

  /** Waits on a thread of its own, and notes when it got its slot. */
  private Thread wait(String owner) {
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                if (slots.tryTake(owner, LONG) == Grant.GRANTED) {
                  granted.add(owner);
                }
              } catch (InterruptedException e) {
                granted.add(owner + " was interrupted");
              }
            });
    await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    waiting.add(thread);
    return thread;
  }

  private void awaitGranted(String... owners) {
    await().untilAsserted(() -> assertThat(granted).containsExactly(owners));
  }

  private void take(String... owners) throws InterruptedException {
    for (String owner : owners) {
      assertThat(slots.tryTake(owner, Duration.ZERO)).isEqualTo(Grant.GRANTED);
    }
  }

  @Test
  void saysWhichBoundIsInTheWay() throws Exception {
    take("a", "a");
    assertThat(slots.tryTake("a", Duration.ZERO)).isEqualTo(Grant.OWNER_FULL);
    assertThat(slots.tryTake("a", Duration.ofMillis(5))).isEqualTo(Grant.OWNER_FULL);
    take("b", "b");
    assertThat(slots.tryTake("c", Duration.ZERO)).isEqualTo(Grant.FULL);
    assertThat(slots.tryTake("c", Duration.ofMillis(5))).isEqualTo(Grant.FULL);

    slots.release("a");

    take("c");
  }

  @Test
  void letsOwnersTakeTurns() throws Exception {
    take("x", "x", "y", "y");
    for (String owner : List.of("a", "a", "a", "a", "b", "c")) {
      wait(owner);
    }

    for (String held : List.of("x", "x", "y", "y")) {
      slots.release(held);
    }

    await().until(() -> granted.size() == 4);
    assertThat(granted).containsExactlyInAnyOrder("a", "b", "c", "a");
    slots.release("b");
    slots.release("a");
    await().until(() -> granted.size() == 5);
    assertThat(granted.getLast()).isEqualTo("a");
  }

  @Test
  void givesAFreeSlotToTheOwnerThatMayHaveIt() throws Exception {
    take("a", "a", "b", "b");
    wait("a");
    wait("c");

    slots.release("b");

    awaitGranted("c");
    slots.release("a");
    awaitGranted("c", "a");
  }

  @Test
  void letsNobodyOvertakeThoseWhoWait() throws Exception {
    take("x", "x", "y", "y");
    wait("a");
    assertThat(slots.tryTake("b", Duration.ZERO)).isEqualTo(Grant.FULL);

    slots.release("x");

    awaitGranted("a");
    slots.release("x");
    take("b");
  }

  @Test
  void forgetsAWaitThatWasInterrupted() throws Exception {
    take("x", "x", "y", "y");
    Thread impatient = wait("a");
    wait("b");
    impatient.interrupt();
    impatient.join();

    slots.release("x");

    awaitGranted("a was interrupted", "b");
    slots.release("x");
    take("a");
  }

  @Test
  void servesTheWaitOfAnInterruptedThread() throws Exception {
    take("x", "x", "y", "y");
    Thread patient =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              slots.takeUninterruptibly("a");
              granted.add("a, interrupted: " + Thread.currentThread().isInterrupted());
            });
    await().until(() -> patient.getState() == Thread.State.WAITING);
    wait("b");
    patient.interrupt();

    slots.release("x");

    awaitGranted("a, interrupted: true");
    slots.release("x");
    awaitGranted("a, interrupted: true", "b");
  }

  @Test
  void holdsItsBoundsInARace() throws Exception {
    AtomicInteger held = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Race.run(
        16,
        n -> {
          String owner = "owner " + n % 5;
          for (int i = 0; i < 500; i++) {
            if (isTaken(owner)) {
              most.accumulateAndGet(held.incrementAndGet(), Math::max);
              Thread.yield();
              held.decrementAndGet();
              slots.release(owner);
            }
          }
          return true;
        });

    assertThat(most.get()).isBetween(1, 4);
    assertThat(quota.held()).isZero();
    take("owner 0", "owner 0", "owner 1", "owner 1");
  }

  private boolean isTaken(String owner) {
    try {
      Duration patience = Duration.ofNanos(ThreadLocalRandom.current().nextInt(2_000_000));
      return slots.tryTake(owner, patience) == Grant.GRANTED;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.platform.http.Quota.Grant;
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
class QuotaWaitsTest {

  private static final Duration LONG = Duration.ofDays(1);

  private final Quota quota = new Quota(4, 2);
  private final List<String> granted = Collections.synchronizedList(new ArrayList<>());
  private final List<Thread> waiting = new ArrayList<>();

  /** Waits on a thread of its own, and notes when it got its slot. */
  private Thread wait(String owner) {
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                if (quota.await(owner, LONG) == Grant.GRANTED) {
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
      assertThat(quota.await(owner, Duration.ZERO)).isEqualTo(Grant.GRANTED);
    }
  }

  @Test
  void saysWhichBoundIsInTheWay() throws Exception {
    take("a", "a");
    assertThat(quota.await("a", Duration.ZERO)).isEqualTo(Grant.OWNER_FULL);
    assertThat(quota.await("a", Duration.ofMillis(5))).isEqualTo(Grant.OWNER_FULL);
    take("b", "b");
    assertThat(quota.await("c", Duration.ZERO)).isEqualTo(Grant.FULL);
    assertThat(quota.await("c", Duration.ofMillis(5))).isEqualTo(Grant.FULL);

    quota.release("a", 1);

    take("c");
  }

  @Test
  void letsOwnersTakeTurns() throws Exception {
    take("x", "x", "y", "y");
    for (String owner : List.of("a", "a", "a", "a", "b", "c")) {
      wait(owner);
    }

    quota.release("x", 1);
    awaitGranted("a");
    quota.release("x", 1);
    awaitGranted("a", "b");
    quota.release("y", 1);
    awaitGranted("a", "b", "c");
    quota.release("y", 1);
    awaitGranted("a", "b", "c", "a");
    quota.release("b", 1);
    quota.release("a", 1);
    awaitGranted("a", "b", "c", "a", "a");
  }

  @Test
  void givesAFreeSlotToTheOwnerThatMayHaveIt() throws Exception {
    take("a", "a", "b", "b");
    wait("a");
    wait("c");

    quota.release("b", 1);

    awaitGranted("c");
    quota.release("a", 1);
    awaitGranted("c", "a");
  }

  @Test
  void letsNobodyOvertakeThoseWhoWait() throws Exception {
    take("x", "x", "y", "y");
    wait("a");
    assertThat(quota.await("b", Duration.ZERO)).isEqualTo(Grant.FULL);

    quota.release("x", 1);

    awaitGranted("a");
    quota.release("x", 1);
    take("b");
  }

  @Test
  void forgetsAWaitThatWasInterrupted() throws Exception {
    take("x", "x", "y", "y");
    Thread impatient = wait("a");
    wait("b");
    impatient.interrupt();
    impatient.join();

    quota.release("x", 1);

    awaitGranted("a was interrupted", "b");
    quota.release("x", 1);
    take("a");
  }

  @Test
  void servesTheWaitOfAnInterruptedThread() throws Exception {
    take("x", "x", "y", "y");
    Thread patient =
        Thread.ofPlatform()
            .daemon()
            .start(() ->
                quota.runUninterruptibly(
                    "a",
                    () ->
                        granted.add("a, interrupted: " + Thread.currentThread().isInterrupted())));
    await().until(() -> patient.getState() == Thread.State.WAITING);
    wait("b");
    patient.interrupt();

    quota.release("x", 1);

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
              Thread.onSpinWait();
              held.decrementAndGet();
              quota.release(owner, 1);
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
      return quota.await(owner, patience) == Grant.GRANTED;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

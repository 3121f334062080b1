package dev.muster.platform.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.platform.deadline.RequestDeadline;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.quota.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WaitSlotsTest {

  private static final Duration LONG = Duration.ofDays(1);
  private static final Duration SHORT = Duration.ofMillis(20);
  private static final String REFUSAL = "too many at once; try again";

  private final Owner greedy = new Owner.OfWorkspace(UUID.randomUUID());
  private final Owner modest = new Owner.OfWorkspace(UUID.randomUUID());
  private final CountDownLatch end = new CountDownLatch(1);
  private final List<Owner> began = new CopyOnWriteArrayList<>();
  private final List<Thread> callers = new ArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void endAll() {
    end.countDown();
    threads.close();
  }

  /** Starts works that end only when the test lets them, and returns when each holds or waits. */
  private List<CompletableFuture<String>> start(WaitSlots slots, Owner owner, int count) {
    List<CompletableFuture<String>> started = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      CompletableFuture<Thread> caller = new CompletableFuture<>();
      started.add(
          CompletableFuture.supplyAsync(
              () -> {
                caller.complete(Thread.currentThread());
                return slots.run(owner, () -> hold(owner));
              },
              threads));
      callers.add(caller.join());
    }
    await().untilAsserted(() -> assertThat(callers).allMatch(WaitSlotsTest::isParked));
    return started;
  }

  private static boolean isParked(Thread caller) {
    return caller.getState() == Thread.State.WAITING
        || caller.getState() == Thread.State.TIMED_WAITING;
  }

  private String hold(Owner owner) {
    began.add(owner);
    try {
      end.await();
      return "done";
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void leaveOthersTheirSlots() throws Exception {
    var slots = new WaitSlots(4, LONG, REFUSAL);
    List<CompletableFuture<String>> all = new ArrayList<>(start(slots, greedy, 10));
    awaitBegun(greedy, greedy);

    all.addAll(start(slots, modest, 2));

    awaitBegun(greedy, greedy, modest, modest);
    end.countDown();
    for (CompletableFuture<String> one : all) {
      assertThat(one.get(30, TimeUnit.SECONDS)).isEqualTo("done");
    }
    assertThat(began).hasSize(12);
  }

  @Test
  void areOneForEachOwnerAtLeast() {
    start(new WaitSlots(3, LONG, REFUSAL), greedy, 2);
    start(new WaitSlots(1, LONG, REFUSAL), modest, 2);

    awaitBegun(greedy, modest);
  }

  private void awaitBegun(Owner... owners) {
    await().untilAsserted(() -> assertThat(began).containsExactly(owners));
  }

  /** The only slot goes to the other owner next, however many waits the first has. */
  @Test
  void areTakenInTurnsByOwner() throws Exception {
    var slots = new WaitSlots(1, LONG, REFUSAL);
    CountDownLatch endOfFirst = new CountDownLatch(1);
    CompletableFuture<Boolean> first = new CompletableFuture<>();
    threads.execute(() ->
        slots.run(
            greedy,
            () -> {
              first.complete(true);
              return awaitQuietly(endOfFirst);
            }));
    first.get();
    start(slots, greedy, 5);
    start(slots, modest, 1);
    endOfFirst.countDown();

    await().until(() -> !began.isEmpty());
    assertThat(began).containsExactly(modest);
  }

  private static boolean awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void refuseWithTheirTextWhoeverIsInTheWay() {
    var slots = new WaitSlots(4, SHORT, REFUSAL);
    start(slots, greedy, 2);
    assertRefused(slots, greedy);
    start(slots, modest, 2);

    assertRefused(slots, new Owner.OfWorkspace(UUID.randomUUID()));
  }

  private void assertRefused(WaitSlots slots, Owner owner) {
    assertThatThrownBy(() -> slots.run(owner, () -> "granted"))
        .isInstanceOfSatisfying(
            ProblemException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE))
        .hasMessageContaining(REFUSAL);
  }

  @Test
  void refuseAtTheDeadlineOfTheRequest() {
    var slots = new WaitSlots(1, LONG, REFUSAL);
    start(slots, modest, 1);

    RequestDeadline.within(
        SHORT,
        () -> {
          assertRefused(slots, greedy);
          return true;
        });
  }

  @Test
  void refuseWhoIsInterrupted() {
    var slots = new WaitSlots(1, LONG, REFUSAL);
    Thread.currentThread().interrupt();

    assertRefused(slots, greedy);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(slots.run(greedy, () -> "free")).isEqualTo("free");
  }

  @Test
  void areFreeAgainAfterWorkThatFails() {
    var slots = new WaitSlots(1, SHORT, REFUSAL);
    for (int n = 0; n < 3; n++) {
      assertThatThrownBy(() ->
              slots.run(
                  greedy,
                  () -> {
                    throw new IllegalStateException("failed");
                  }))
          .hasMessage("failed");
    }

    assertThat(slots.run(modest, () -> "free")).isEqualTo("free");
  }
}

package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
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
class QuotaRunsTest {

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
  private List<CompletableFuture<String>> start(Quota quota, Owner owner, int count) {
    List<CompletableFuture<String>> started = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      CompletableFuture<Thread> caller = new CompletableFuture<>();
      started.add(
          CompletableFuture.supplyAsync(
              () -> {
                caller.complete(Thread.currentThread());
                return quota.run(owner, LONG, REFUSAL, () -> hold(owner));
              },
              threads));
      callers.add(caller.join());
    }
    await().untilAsserted(() -> assertThat(callers).allMatch(QuotaRunsTest::isParked));
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
    var quota = new Quota(4);
    List<CompletableFuture<String>> all = new ArrayList<>(start(quota, greedy, 10));
    awaitBegun(greedy, greedy);

    all.addAll(start(quota, modest, 2));

    awaitBegun(greedy, greedy, modest, modest);
    end.countDown();
    for (CompletableFuture<String> one : all) {
      assertThat(one.get(30, TimeUnit.SECONDS)).isEqualTo("done");
    }
    assertThat(began).hasSize(12);
  }

  @Test
  void areOneForEachOwnerAtLeast() {
    start(new Quota(3), greedy, 2);
    start(new Quota(1), modest, 2);

    awaitBegun(greedy, modest);
  }

  private void awaitBegun(Owner... owners) {
    await().untilAsserted(() -> assertThat(began).containsExactly(owners));
  }

  /** The only slot goes to the other owner next, however many waits the first has. */
  @Test
  void areTakenInTurnsByOwner() throws Exception {
    var quota = new Quota(1);
    CountDownLatch endOfFirst = new CountDownLatch(1);
    CompletableFuture<Boolean> first = new CompletableFuture<>();
    threads.execute(() ->
        quota.run(
            greedy,
            LONG,
            REFUSAL,
            () -> {
              first.complete(true);
              return awaitQuietly(endOfFirst);
            }));
    first.get();
    start(quota, greedy, 5);
    start(quota, modest, 1);
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
    var quota = new Quota(4);
    start(quota, greedy, 2);
    assertRefused(quota, greedy, SHORT);
    start(quota, modest, 2);

    assertRefused(quota, new Owner.OfWorkspace(UUID.randomUUID()), SHORT);
  }

  private void assertRefused(Quota quota, Owner owner, Duration atMost) {
    assertThatThrownBy(() -> quota.run(owner, atMost, REFUSAL, () -> "granted"))
        .isInstanceOfSatisfying(
            ProblemException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE))
        .hasMessageContaining(REFUSAL);
  }

  @Test
  void refuseAtTheDeadlineOfTheRequest() {
    var quota = new Quota(1);
    start(quota, modest, 1);

    RequestDeadline.within(
        SHORT,
        () -> {
          assertRefused(quota, greedy, LONG);
          return true;
        });
  }

  @Test
  void refuseWhoIsInterrupted() {
    var quota = new Quota(1);
    Thread.currentThread().interrupt();

    assertRefused(quota, greedy, LONG);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(quota.run(greedy, LONG, REFUSAL, () -> "free")).isEqualTo("free");
  }

  @Test
  void areFreeAgainAfterWorkThatFails() {
    var quota = new Quota(1);
    for (int n = 0; n < 3; n++) {
      assertThatThrownBy(() ->
              quota.run(
                  greedy,
                  SHORT,
                  REFUSAL,
                  () -> {
                    throw new IllegalStateException("failed");
                  }))
          .hasMessage("failed");
    }

    assertThat(quota.run(modest, SHORT, REFUSAL, () -> "free")).isEqualTo("free");
  }
}

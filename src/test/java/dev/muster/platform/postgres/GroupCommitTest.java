package dev.muster.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.platform.postgres.BatchRetry.BatchHandler;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.testing.MachinePauses;
import dev.muster.testing.Slow;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.dao.DataAccessResourceFailureException;

@Slow
@Timeout(60)
class GroupCommitTest {

  /** A value that is not committed fails sooner. */
  private static final Duration LATE = Duration.ofSeconds(30);

  private record Value(int key, int number) {}

  private static BackgroundLoops loops() {
    return new BackgroundLoops(InstantSource.system());
  }

  private static GroupCommit<Value, Integer> commits(BatchHandler<Value, Integer> work) {
    return new GroupCommit<>("test", Value::key, work, loops(), new SimpleMeterRegistry());
  }

  /** A group commit in which each value weighs its number. */
  private static GroupCommit<Value, Integer> weighed(BatchHandler<Value, Integer> work, long most) {
    return new GroupCommit<>(
        "test",
        Value::key,
        BatchLimits.byWeight(Value::number, most),
        work,
        loops(),
        new SimpleMeterRegistry());
  }

  private static BatchOutcome<Integer> done(Value value) {
    return new BatchOutcome.Done<>(value.number());
  }

  @Test
  void commitsEveryValueOnceAndReturnsItsResult() throws Exception {
    List<Value> committed = Collections.synchronizedList(new ArrayList<>());
    int callers = 200;
    int each = 200;
    try (var commits =
            commits(batch -> {
              committed.addAll(batch);
              return batch.stream().map(GroupCommitTest::done).toList();
            });
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      CountDownLatch start = new CountDownLatch(1);
      List<Future<Boolean>> answers =
          IntStream.range(0, callers)
              .mapToObj(caller ->
                  threads.submit(() -> {
                    start.await();
                    return IntStream.range(0, each)
                        .map(i -> caller * each + i)
                        .allMatch(number -> commits.submit(new Value(number, number)) == number);
                  }))
              .toList();
      start.countDown();
      for (Future<Boolean> answer : answers) {
        assertThat(answer.get()).isTrue();
      }
    }
    assertThat(committed).hasSize(callers * each).doesNotHaveDuplicates();
  }

  @Test
  void takesOneValueOfAKeyPerBatch() throws Exception {
    AtomicInteger doubled = new AtomicInteger();
    AtomicInteger largest = new AtomicInteger();
    try (var commits =
            commits(batch -> {
              doubled.addAndGet(
                  batch.size() - (int) batch.stream().map(Value::key).distinct().count());
              largest.accumulateAndGet(batch.size(), Math::max);
              return batch.stream().map(GroupCommitTest::done).toList();
            });
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> answers = new ArrayList<>();
      for (int number = 0; number < 10_000; number++) {
        Value value = new Value(number % 5, number);
        answers.add(threads.submit(() -> commits.submit(value)));
      }
      for (Future<Integer> answer : answers) {
        answer.get();
      }
    }
    assertThat(doubled).hasValue(0);
    assertThat(largest.get()).isGreaterThan(1);
  }

  @Test
  void keepsTheOrderOfAKeysValuesAlsoWhenTheFirstIsLocked() throws Exception {
    List<Integer> committed = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch firstTried = new CountDownLatch(1);
    CountDownLatch secondWaits = new CountDownLatch(1);
    AtomicInteger tries = new AtomicInteger();
    try (var commits =
            commits(batch -> {
              firstTried.countDown();
              awaitQuietly(secondWaits);
              if (tries.incrementAndGet() <= 3) {
                return batch.stream()
                    .<BatchOutcome<Integer>>map(v -> new BatchOutcome.Locked<>())
                    .toList();
              }
              batch.forEach(v -> committed.add(v.number()));
              return batch.stream().map(GroupCommitTest::done).toList();
            });
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Integer> first = threads.submit(() -> commits.submit(new Value(1, 1)));
      firstTried.await();
      Future<Integer> second = threads.submit(() -> commits.submit(new Value(1, 2)));
      Awaitility.await().until(() -> commits.waiting() == 2);
      secondWaits.countDown();
      first.get();
      second.get();
    }
    assertThat(committed).containsExactly(1, 2);
  }

  @Test
  void worksOnTwoBatchesAtOnceThatShareNoKey() throws Exception {
    CountDownLatch bothUnderWay = new CountDownLatch(2);
    Set<Integer> keysUnderWay = ConcurrentHashMap.newKeySet();
    AtomicInteger shared = new AtomicInteger();
    BatchHandler<Value, Integer> work =
        batch -> {
          List<Integer> keys = batch.stream().map(Value::key).distinct().toList();
          keys.stream()
              .filter(key -> !keysUnderWay.add(key))
              .forEach(_ -> shared.incrementAndGet());
          bothUnderWay.countDown();
          awaitQuietly(bothUnderWay);
          keys.forEach(keysUnderWay::remove);
          return batch.stream().map(GroupCommitTest::done).toList();
        };
    List<Future<Integer>> answers = new ArrayList<>();
    try (var commits =
            new GroupCommit<>(
                "test",
                Value::key,
                BatchLimits.byWeight(value -> 1, 4),
                2,
                work,
                loops(),
                new SimpleMeterRegistry());
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int number = 0; number < 2_000; number++) {
        Value value = new Value(number % 8, number);
        answers.add(threads.submit(() -> commits.submit(value)));
      }
      for (int number = 0; number < 2_000; number++) {
        assertThat(answers.get(number).get()).isEqualTo(number);
      }
    }
    assertThat(shared).hasValue(0);
  }

  @Test
  void boundsTheWeightOfABatch() throws Exception {
    List<Value> committed = Collections.synchronizedList(new ArrayList<>());
    AtomicInteger tooHeavy = new AtomicInteger();
    AtomicInteger shared = new AtomicInteger();
    BatchHandler<Value, Integer> work =
        batch -> {
          committed.addAll(batch);
          if (batch.size() > 1) {
            shared.incrementAndGet();
            tooHeavy.addAndGet(batch.stream().mapToInt(Value::number).sum() > 100 ? 1 : 0);
          }
          return batch.stream().map(GroupCommitTest::done).toList();
        };
    try (var commits = weighed(work, 100);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> answers =
          IntStream.range(0, 10_000)
              .mapToObj(i -> threads.submit(() -> commits.submit(new Value(1, i % 120))))
              .toList();
      for (Future<Integer> answer : answers) {
        answer.get();
      }
    }
    assertThat(committed).hasSize(10_000);
    assertThat(tooHeavy).hasValue(0);
    assertThat(shared.get()).isPositive();
  }

  @Test
  void doesNotStallOtherKeysWhileAFullBatchIsLocked() throws Exception {
    CountDownLatch free = new CountDownLatch(1);
    BatchHandler<Value, Integer> work =
        batch ->
            batch.stream()
                .<BatchOutcome<Integer>>map(v ->
                    v.key() == 1 && free.getCount() > 0 ? new BatchOutcome.Locked<>() : done(v))
                .toList();
    try (var commits = weighed(work, 100);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> ofLockedRow =
          IntStream.range(0, 10)
              .mapToObj(i -> threads.submit(() -> commits.submit(new Value(1, 90))))
              .toList();
      Awaitility.await().until(() -> commits.waiting() == 10);
      Future<Integer> other = threads.submit(() -> commits.submit(new Value(2, 90)));
      assertThat(other).succeedsWithin(LATE).isEqualTo(90);
      free.countDown();
      for (Future<Integer> answer : ofLockedRow) {
        assertThat(answer).succeedsWithin(LATE);
      }
    }
  }

  @Test
  void retriesALockedValueWithALaterBatch() {
    AtomicInteger tries = new AtomicInteger();
    try (var commits =
        commits(batch ->
            batch.stream()
                .<BatchOutcome<Integer>>map(
                    v -> tries.incrementAndGet() < 5 ? new BatchOutcome.Locked<>() : done(v))
                .toList())) {
      assertThat(commits.submit(new Value(1, 7))).isEqualTo(7);
    }
    assertThat(tries).hasValue(5);
  }

  @Test
  void reportsAnUnknownOutcomeInTimeWhenTheDatabaseNeverAnswers() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    var commits =
        commits(batch -> {
          awaitQuietly(never);
          return batch.stream().map(GroupCommitTest::done).toList();
        });
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        MachinePauses pauses = new MachinePauses()) {
      long start = System.nanoTime();
      Future<Integer> first = threads.submit(() -> commits.submit(new Value(1, 1)));
      Future<Integer> behind = threads.submit(() -> commits.submit(new Value(1, 2)));
      for (Future<Integer> stuck : List.of(first, behind)) {
        assertThat(stuck)
            .failsWithin(Duration.ofSeconds(15))
            .withThrowableThat()
            .havingCause()
            .isInstanceOfSatisfying(
                ProblemException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isLessThan(Duration.ofSeconds(5).plus(pauses.longest()));
    } finally {
      never.countDown();
      commits.close();
    }
  }

  @Test
  void refusesValuesAfterItsEnd() {
    var commits = commits(batch -> batch.stream().map(GroupCommitTest::done).toList());
    commits.close();
    assertThatThrownBy(() -> commits.submit(new Value(1, 1))).isInstanceOf(ProblemException.class);
  }

  @Test
  void continuesAfterAFailureOfTheHandler() {
    AtomicInteger runs = new AtomicInteger();
    try (var commits =
        commits(batch -> {
          if (runs.incrementAndGet() == 1) {
            throw new IllegalStateException("a bug");
          }
          return batch.stream().map(GroupCommitTest::done).toList();
        })) {
      assertThatThrownBy(() -> commits.submit(new Value(1, 1))).hasMessage("a bug");
      assertThat(commits.submit(new Value(1, 2))).isEqualTo(2);
    }
  }

  @Test
  void remembersADatabaseOutageForAWhile() {
    AtomicInteger runs = new AtomicInteger();
    Duration aWhile = Duration.ofMinutes(1);
    try (var commits =
        commits(batch -> {
          if (runs.incrementAndGet() == 1) {
            throw new DataAccessResourceFailureException("away");
          }
          return batch.stream().map(GroupCommitTest::done).toList();
        })) {
      assertThat(commits.failedWithin(aWhile)).isFalse();
      assertThatThrownBy(() -> commits.submit(new Value(1, 1))).hasMessage("away");
      assertThat(commits.failedWithin(aWhile)).isTrue();
      assertThat(commits.failedWithin(Duration.ofNanos(1))).isFalse();
      assertThat(commits.submit(new Value(1, 2))).isEqualTo(2);
      assertThat(commits.failedWithin(aWhile)).isFalse();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

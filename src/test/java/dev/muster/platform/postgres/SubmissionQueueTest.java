package dev.muster.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SubmissionQueueTest {

  private static final BatchLimits<String> TEN_LETTERS = BatchLimits.byWeight(String::length, 10);

  private final SubmissionQueue<String, Integer> line = new SubmissionQueue<>(TEN_LETTERS);

  /** Submits values that weigh their length, and whose first letter is their key. */
  private void submit(String... values) {
    for (String value : values) {
      line.push(new PendingSubmission<>(value, value.charAt(0), value.length(), 0, 0));
    }
  }

  private List<String> takeBatch() {
    return takeBatch("");
  }

  private List<String> takeBatch(String busyKeys) {
    List<PendingSubmission<String, Integer>> batch = line.nextBatch();
    end(batch, busyKeys);
    return batch.stream().map(submission -> submission.value).toList();
  }

  private void end(List<PendingSubmission<String, Integer>> batch, String busyKeys) {
    List<PendingSubmission<String, Integer>> busy = new ArrayList<>();
    for (PendingSubmission<String, Integer> submission : batch) {
      if (busyKeys.contains(submission.key.toString())) {
        busy.add(submission);
      } else {
        submission.complete(new BatchOutcome.Done<>(1));
      }
    }
    line.ended(batch, busy);
  }

  @Test
  void takesManyValuesOfAKeyInOrder() {
    submit("a1", "b1", "a2", "a3");
    assertThat(takeBatch()).containsExactly("a1", "b1", "a2", "a3");
    assertThat(takeBatch()).isEmpty();
  }

  @Test
  void fillsABatchUpToItsWeight() {
    submit("a1234", "b1234", "c");
    assertThat(takeBatch()).containsExactly("a1234", "b1234");
    assertThat(takeBatch()).containsExactly("c");
  }

  @Test
  void keepsTheOrderOfLightAndHeavyValues() {
    submit("a1", "a23456789", "a3", "b1");
    assertThat(takeBatch()).containsExactly("a1");
    assertThat(takeBatch()).containsExactly("a23456789");
    assertThat(takeBatch()).containsExactly("a3", "b1");
  }

  @Test
  void takesATooHeavyValueAlone() {
    submit("a234567890123", "b");
    assertThat(takeBatch()).containsExactly("a234567890123");
    assertThat(takeBatch()).containsExactly("b");
  }

  @Test
  void takesAtMost256ValuesPerBatch() {
    SubmissionQueue<String, Integer> weightless =
        new SubmissionQueue<>(BatchLimits.byWeight(value -> 0, 1));
    IntStream.range(0, 300)
        .forEach(i -> weightless.push(new PendingSubmission<>("a" + i, "a", 0, 0, 0)));
    assertThat(weightless.nextBatch())
        .extracting(submission -> submission.value)
        .isEqualTo(IntStream.range(0, 256).mapToObj(i -> "a" + i).toList());
  }

  @Test
  void keepsTheOrderOfLockedValuesAndTheirFollowers() {
    submit("a1", "a2");
    assertThat(takeBatch("a")).containsExactly("a1", "a2");
    submit("a3", "b1", "a4");
    assertThat(takeBatch("a")).containsExactly("b1", "a1", "a2", "a3", "a4");
    assertThat(takeBatch()).containsExactly("a1", "a2", "a3", "a4");
  }

  @Test
  void takesDisplacedValuesNextAndKeepsThePlaceOfTheLockedOne() {
    submit("a12345", "a2345678", "b12345", "b2345678", "c12345");
    assertThat(takeBatch("a")).containsExactly("a12345");
    assertThat(takeBatch()).containsExactly("b12345");
    assertThat(takeBatch()).containsExactly("a12345");
    assertThat(takeBatch()).containsExactly("a2345678");
  }

  @Test
  void givesAKeyToOneBatchAtATime() {
    submit("a1", "b1");
    List<PendingSubmission<String, Integer>> first = line.nextBatch();
    submit("a2", "c1", "b2");
    assertThat(takeBatch()).containsExactly("c1");
    assertThat(takeBatch()).isEmpty();
    end(first, "b");
    assertThat(takeBatch()).containsExactly("a2", "b1", "b2");
  }

  @Test
  void leavesTheSecondValueOfAKeyToALaterBatch() {
    SubmissionQueue<String, Integer> one = new SubmissionQueue<>(BatchLimits.oneOfAKey());
    List.of("a1", "a2", "b1")
        .forEach(v -> one.push(new PendingSubmission<>(v, v.charAt(0), 0, 0, 0)));
    assertThat(one.nextBatch())
        .extracting(submission -> submission.value)
        .containsExactly("a1", "b1");
  }

  @Test
  void refusesALimitOfZero() {
    assertThatThrownBy(() -> BatchLimits.<String>byWeight(String::length, 0))
        .hasMessage("mostWeight: 0 (expected: at least 1)");
  }
}

package dev.muster.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A reader gets all elements after its position, or learns that they are no longer kept. */
class SequencedBufferTest {

  @Test
  void givesAReaderEachElementOnceInOrder() {
    SequencedBuffer<Long> series = new SequencedBuffer<>(41, one -> 1);
    LongStream.rangeClosed(42, 1500).forEach(series::add);
    List<Long> read = new ArrayList<>();
    for (List<Long> next = after(series, 41);
        !next.isEmpty();
        next = after(series, 41 + read.size())) {
      read.addAll(next);
    }
    assertThat(read).isEqualTo(LongStream.rangeClosed(42, 1500).boxed().toList());
    assertThat(series.head()).isEqualTo(1500);
    assertThat(after(series, 1500)).isEmpty();
  }

  @Test
  void reportsAGapAfterTooManyElements() {
    SequencedBuffer<Long> series = new SequencedBuffer<>(0, one -> 1);
    LongStream.rangeClosed(1, SequencedBuffer.MAX_ENTRIES).forEach(series::add);
    assertThat(after(series, 0).getFirst()).isEqualTo(1);
    series.add(SequencedBuffer.MAX_ENTRIES + 1L);
    assertThat(series.after(0)).isEmpty();
    assertThat(series.reachesBackTo(0)).isFalse();
    assertThat(series.reachesBackTo(1)).isTrue();
    assertThat(after(series, 1).getFirst()).isEqualTo(2);
  }

  @Test
  void reportsAGapAfterTooLargeElements() {
    SequencedBuffer<Long> series = new SequencedBuffer<>(0, size -> size);
    series.add(SequencedBuffer.MAX_CHARACTERS - 1);
    series.add(1L);
    assertThat(series.reachesBackTo(0)).isTrue();
    series.add(2L);
    assertThat(series.reachesBackTo(0)).isFalse();
    assertThat(after(series, 1)).containsExactly(1L, 2L);
  }

  @Test
  void keepsAnElementLargerThanItsBound() {
    SequencedBuffer<Long> series = new SequencedBuffer<>(0, size -> size);
    series.add(1L);
    series.add(2 * SequencedBuffer.MAX_CHARACTERS);
    assertThat(after(series, 1)).hasSize(1);
    series.add(3L);
    assertThat(after(series, 2)).containsExactly(3L);
  }

  @Test
  void returnsBoundedPortions() {
    SequencedBuffer<Long> series = new SequencedBuffer<>(0, size -> size);
    for (int i = 0; i < 10; i++) {
      series.add(600_000L);
    }
    assertThat(after(series, 0)).hasSize(2);
  }

  @Test
  void continuesAtAnotherNumberWithoutOlderElements() {
    SequencedBuffer<Long> series = new SequencedBuffer<>(0, one -> 1);
    series.add(1L);
    series.restartAt(100);
    assertThat(series.after(0)).isEmpty();
    assertThat(series.after(1)).isEmpty();
    assertThat(after(series, 99)).isEmpty();
    series.add(100L);
    assertThat(after(series, 99)).containsExactly(100L);
  }

  private static List<Long> after(SequencedBuffer<Long> series, long number) {
    return series.after(number).orElseThrow();
  }
}

package dev.muster.event;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Keeps the newest elements of a consecutively numbered series, in bounded memory. */
final class SequencedBuffer<E> {

  static final int MAX_ENTRIES = 4096;
  static final long MAX_CHARACTERS = 32L << 20;
  private static final int MAX_PER_READ = 256;

  /** Bounds the memory that a slow reader holds after its elements were dropped here. */
  private static final long MAX_CHARACTERS_PER_READ = 1L << 20;

  private final ToLongFunction<E> size;
  private final List<@Nullable E> ring = new ArrayList<>();
  private long first;
  private volatile long head;
  private long characters;

  /**
   * Creates an empty buffer.
   *
   * @param head the number before the first element
   * @param size returns the approximate size of one element in characters
   */
  SequencedBuffer(long head, ToLongFunction<E> size) {
    this.size = size;
    this.head = head;
    this.first = head + 1;
    for (int i = 0; i < MAX_ENTRIES; i++) {
      ring.add(null);
    }
  }

  /** Returns the number of the newest element. */
  long head() {
    return head;
  }

  synchronized void add(E element) {
    evictFor(element);
    ring.set(place(head + 1), element);
    characters += size.applyAsLong(element);
    head++;
  }

  /** Drops all elements; the next one gets the number {@code next}. */
  synchronized void restartAt(long next) {
    while (first <= head) {
      dropFirst();
    }
    first = next;
    head = next - 1;
  }

  /** Returns whether all elements after {@code number} are in the buffer. */
  synchronized boolean reachesBackTo(long number) {
    return number >= first - 1;
  }

  /** Returns the elements after {@code number}; empty when some of them were dropped. */
  synchronized Optional<List<E>> after(long number) {
    if (!reachesBackTo(number)) {
      return Optional.empty();
    }
    List<E> answer = new ArrayList<>();
    long charactersLeft = MAX_CHARACTERS_PER_READ;
    for (long next = number + 1;
        next <= head && answer.size() < MAX_PER_READ && charactersLeft > 0;
        next++) {
      E element = at(next);
      answer.add(element);
      charactersLeft -= size.applyAsLong(element);
    }
    return Optional.of(answer);
  }

  private void evictFor(E element) {
    while (first <= head
        && (head - first + 1 == MAX_ENTRIES
            || characters + size.applyAsLong(element) > MAX_CHARACTERS)) {
      dropFirst();
    }
  }

  private void dropFirst() {
    characters -= size.applyAsLong(at(first));
    ring.set(place(first), null);
    first++;
  }

  private E at(long number) {
    @Nullable E element = ring.get(place(number));
    if (element == null) {
      throw new IllegalStateException("number " + number + " is not kept, which indicates a bug");
    }
    return element;
  }

  private static int place(long number) {
    return (int) (number % MAX_ENTRIES);
  }
}

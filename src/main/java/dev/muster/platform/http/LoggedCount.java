package dev.muster.platform.http;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what may happen often, for a log that tells of it once a second. */
final class LoggedCount {

  private static final long PAUSE_NANOS = 1_000_000_000;

  private final AtomicLong toldAt = new AtomicLong(System.nanoTime() - PAUSE_NANOS);
  private final AtomicInteger sinceThen = new AtomicInteger();

  /** Counts one more; returns how many there are to tell of now, or 0 within the pause. */
  int countOne() {
    sinceThen.incrementAndGet();
    long last = toldAt.get();
    long now = System.nanoTime();
    boolean due = now - last >= PAUSE_NANOS && toldAt.compareAndSet(last, now);
    return due ? sinceThen.getAndSet(0) : 0;
  }
}

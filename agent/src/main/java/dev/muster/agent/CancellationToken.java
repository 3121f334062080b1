package dev.muster.agent;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;

/** Cancels its current and future requests and waits, permanently. */
final class CancellationToken {

  private final CountDownLatch cancelled = new CountDownLatch(1);
  private final Set<Call> calls = ConcurrentHashMap.newKeySet();

  void cancel() {
    cancelled.countDown();
    calls.forEach(Call::cancel);
  }

  boolean isCancelled() {
    return cancelled.getCount() == 0;
  }

  void enter(Call call) {
    calls.add(call);
    if (isCancelled()) {
      call.cancel();
    }
  }

  void leave(Call call) {
    calls.remove(call);
  }

  /**
   * Waits and returns whether the caller may continue: not after a cancellation or an interrupt.
   * The thread's interrupt flag stays set.
   */
  boolean pause(Duration duration) {
    try {
      return !cancelled.await(duration.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}

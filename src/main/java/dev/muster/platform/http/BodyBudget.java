package dev.muster.platform.http;

import dev.muster.platform.problem.ProblemException;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Component;

/** Bounds the bytes of all request bodies in flight together (R0.7). */
@Component
final class BodyBudget {

  static final long MAX_BYTES = 512L << 20;

  private final AtomicLong taken = new AtomicLong();

  /** Refuses with {@code UNAVAILABLE} when the budget is used up. */
  void take(long bytes) {
    if (taken.addAndGet(bytes) > MAX_BYTES) {
      taken.addAndGet(-bytes);
      throw ProblemException.unavailable(
          "too many large requests are in flight; try again in a few seconds");
    }
  }

  void giveBack(long bytes) {
    taken.addAndGet(-bytes);
  }

  long taken() {
    return taken.get();
  }
}

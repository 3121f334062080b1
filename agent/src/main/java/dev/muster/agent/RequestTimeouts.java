package dev.muster.agent;

import dev.muster.protocol.client.RetryPolicy;
import java.time.Duration;

/**
 * Holds the attempts and the time limits of a request.
 *
 * @param policy the number of attempts, the first included, and the connect time limit
 * @param silence the read and write time limit of one attempt
 * @param total the time limit of all attempts and the waits between them
 * @param forPeers whether errors of the peer are retried too; the server has retried them already
 */
record RequestTimeouts(RetryPolicy policy, Duration silence, Duration total, boolean forPeers) {

  private static final RetryPolicy ONCE =
      new RetryPolicy(1, false, RetryPolicy.DEFAULT.connectTimeout());
  private static final RetryPolicy THREE_ATTEMPTS =
      new RetryPolicy(3, true, RetryPolicy.DEFAULT.connectTimeout());
  private static final Duration SILENCE = Duration.ofSeconds(30);
  private static final Duration MAX_WAIT = Duration.ofMinutes(1);
  private static final Duration BEYOND_WAIT = Duration.ofSeconds(15);

  /** For requests that are safe to repeat. */
  static final RequestTimeouts USUAL =
      new RequestTimeouts(RetryPolicy.DEFAULT, SILENCE, Duration.ofMinutes(2), false);

  /** For an answer to a message: three attempts (docs/api.md, section 13). */
  static final RequestTimeouts REPLY =
      new RequestTimeouts(THREE_ATTEMPTS, SILENCE, Duration.ofMinutes(2), true);

  /** For requests that the caller repeats anyway, or must not repeat: one attempt. */
  static RequestTimeouts once(Duration total) {
    return new RequestTimeouts(ONCE, total, total, false);
  }

  /** Limits a wait to 60 s, the longest that the server holds a request. */
  static Duration heldAtMost(Duration wait) {
    return wait.compareTo(MAX_WAIT) < 0 ? wait : MAX_WAIT;
  }

  /** For a request that the server may hold for {@code wait}; each attempt gets 15 s more. */
  static RequestTimeouts held(Duration wait, int attempts) {
    Duration silence = wait.plus(BEYOND_WAIT);
    RetryPolicy policy = attempts == 1 ? ONCE : RetryPolicy.DEFAULT;
    return new RequestTimeouts(policy, silence, silence.multipliedBy(attempts), false);
  }
}

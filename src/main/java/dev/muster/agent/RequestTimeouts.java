package dev.muster.agent;

import dev.muster.protocol.client.RetryPolicy;
import java.time.Duration;

/**
 * How hard a request is tried.
 *
 * @param policy how often, the first time included
 * @param silence how long the platform may say nothing, in one attempt
 * @param total of all attempts and the waits between them
 * @param forPeers whether a peer that cannot be reached is tried again as well; the platform has
 *     tried already
 */
record RequestTimeouts(RetryPolicy policy, Duration silence, Duration total, boolean forPeers) {

  private static final RetryPolicy ONCE =
      new RetryPolicy(1, false, RetryPolicy.DEFAULT.connectTimeout());
  private static final RetryPolicy THRICE =
      new RetryPolicy(3, true, RetryPolicy.DEFAULT.connectTimeout());
  private static final Duration SILENCE = Duration.ofSeconds(30);
  private static final Duration MAX_WAIT = Duration.ofMinutes(1);
  private static final Duration BEYOND_WAIT = Duration.ofSeconds(15);

  /** For what may be done twice without harm. */
  static final RequestTimeouts USUAL =
      new RequestTimeouts(RetryPolicy.DEFAULT, SILENCE, Duration.ofMinutes(2), false);

  /** For an answer to a message: three times (contract, section 13). */
  static final RequestTimeouts REPLY =
      new RequestTimeouts(THRICE, SILENCE, Duration.ofMinutes(2), true);

  /** For what comes again by itself. */
  static RequestTimeouts once(Duration total) {
    return new RequestTimeouts(ONCE, total, total, false);
  }

  /** The platform holds nothing for longer than a minute. */
  static Duration heldAtMost(Duration wait) {
    return wait.compareTo(MAX_WAIT) < 0 ? wait : MAX_WAIT;
  }

  /** For a request that the platform may hold so long before it answers. */
  static RequestTimeouts held(Duration wait, int attempts) {
    Duration silence = wait.plus(BEYOND_WAIT);
    RetryPolicy policy = attempts == 1 ? ONCE : RetryPolicy.DEFAULT;
    return new RequestTimeouts(policy, silence, silence.multipliedBy(attempts), false);
  }
}

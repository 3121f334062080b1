package dev.muster.agent;

import dev.muster.protocol.client.RetryDelay;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import tools.jackson.databind.JsonNode;

/**
 * The pace that the platform expects; it says so in its answers to registrations and heartbeats.
 *
 * @param heartbeatInterval between two heartbeats
 * @param staleAfter how long an agent may be silent before it counts as offline
 * @param longPollMax how long a poll may be held; zero when the platform holds none
 */
public record Cadence(Duration heartbeatInterval, Duration staleAfter, Duration longPollMax) {

  /** What holds until the platform has said something. */
  public static final Cadence DEFAULT =
      new Cadence(Duration.ofSeconds(30), Duration.ofSeconds(180), Duration.ZERO);

  private static final int MAX_INTERVAL_S = 3_600;
  private static final int MAX_SILENCE_S = 86_400;
  private static final int MAX_POLL_S = 60;

  /** With what an answer says; what it leaves out, or says senselessly, stays. */
  Cadence with(JsonNode answer) {
    return new Cadence(
        seconds(answer.path("heartbeat_interval_s"), 1, MAX_INTERVAL_S, heartbeatInterval),
        seconds(answer.path("stale_after_s"), 1, MAX_SILENCE_S, staleAfter),
        seconds(answer.path("long_poll_max_s"), 0, MAX_POLL_S, longPollMax));
  }

  /** The longest that one heartbeat, or the pause after a failed one, may take. */
  Duration longestGap() {
    return staleAfter.dividedBy(3);
  }

  /** The pause after so many heartbeats in a row were missed. */
  Duration backOff(int missed) {
    Duration wait = RetryDelay.before(missed, ThreadLocalRandom.current().nextDouble());
    return wait.compareTo(longestGap()) < 0 ? wait : longestGap();
  }

  private static Duration seconds(JsonNode said, int least, int most, Duration otherwise) {
    return said.isIntegralNumber() && said.canConvertToLong()
        ? Duration.ofSeconds(Math.clamp(said.longValue(), least, most))
        : otherwise;
  }
}

package dev.muster.agent;

import dev.muster.protocol.WholeNumber;
import dev.muster.protocol.client.RetryDelay;
import java.math.BigInteger;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import tools.jackson.databind.JsonNode;

/**
 * Holds the intervals that the server sends in its responses to registrations and heartbeats.
 *
 * @param heartbeatInterval the time between two heartbeats, 1 s to 1 h
 * @param staleAfter how long an agent may be silent before it counts as offline, 1 s to 24 h
 * @param longPollMax how long the server holds a long poll, 0 to 60 s; zero when it holds none
 */
public record Cadence(Duration heartbeatInterval, Duration staleAfter, Duration longPollMax) {

  /** Applies until the server's first response. */
  public static final Cadence DEFAULT =
      new Cadence(Duration.ofSeconds(30), Duration.ofSeconds(180), Duration.ZERO);

  private static final int MAX_INTERVAL_S = 3_600;
  private static final int MAX_SILENCE_S = 86_400;
  private static final int MAX_POLL_S = 60;

  /** Returns a copy with the response's values: clamped, and unchanged where not a number. */
  Cadence with(JsonNode answer) {
    return new Cadence(
        seconds(answer.path("heartbeat_interval_s"), 1, MAX_INTERVAL_S, heartbeatInterval),
        seconds(answer.path("stale_after_s"), 1, MAX_SILENCE_S, staleAfter),
        seconds(answer.path("long_poll_max_s"), 0, MAX_POLL_S, longPollMax));
  }

  /** Returns the time limit of one heartbeat, and of the pause after a failed one. */
  Duration longestGap() {
    return staleAfter.dividedBy(3);
  }

  /** Returns the pause after {@code missed} failed heartbeats in a row; {@code missed} ≥ 1. */
  Duration backOff(int missed) {
    Duration wait = RetryDelay.before(missed, ThreadLocalRandom.current().nextDouble());
    return wait.compareTo(longestGap()) < 0 ? wait : longestGap();
  }

  private static Duration seconds(JsonNode said, int least, int most, Duration otherwise) {
    return WholeNumber.of(said)
        .map(number -> number.min(BigInteger.valueOf(most)).max(BigInteger.valueOf(least)))
        .map(number -> Duration.ofSeconds(number.longValueExact()))
        .orElse(otherwise);
  }
}

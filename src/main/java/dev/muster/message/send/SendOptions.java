package dev.muster.message.send;

import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.A2aVersion;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The delivery options that a sender gives beside its request.
 *
 * @param timeout the limit of the whole delivery, retries included (R7.8); empty if not given
 * @param pollWait how long to wait for the answer of a poll agent (R7.11), at most 60 s; empty if
 *     not given
 * @param passedOn the headers that are passed to the agent
 */
record SendOptions(
    Optional<Duration> timeout, Optional<Duration> pollWait, Map<String, String> passedOn) {

  private static final String TIMEOUT = "X-Timeout";
  private static final double MAX_TIMEOUT_S = 3_600;
  private static final double MAX_WAIT_S = 60;
  private static final Duration MAX_WAIT = Duration.ofSeconds((long) MAX_WAIT_S);
  private static final double MIN_TIMEOUT_S = 0.001;
  private static final int MAX_HEADER_LENGTH = 1024;

  /** The headers that state the A2A version and the extensions of a client, of 1.0 and of 0.3. */
  private static final List<String> PASSED_ON =
      List.of(A2aVersion.HEADER, "A2A-Extensions", "X-A2A-Extensions");

  static SendOptions read(HttpServletRequest request) {
    Map<String, String> passedOn = new HashMap<>();
    for (String name : PASSED_ON) {
      @Nullable String value = request.getHeader(name);
      if (value != null && value.length() <= MAX_HEADER_LENGTH && value.matches("[\\x20-\\x7e]*")) {
        passedOn.put(name, value);
      }
    }
    return new SendOptions(
        seconds(TIMEOUT, request.getHeader(TIMEOUT)).map(SendOptions::timeout),
        seconds("wait", request.getParameter("wait")).map(wait -> within(wait, 0, MAX_WAIT_S)),
        passedOn);
  }

  /** Returns the version of A2A that the request names; null if it names none. */
  @Nullable String a2aVersion() {
    return passedOn.get(A2aVersion.HEADER);
  }

  /**
   * Returns how long to wait for the answer of a poll agent. The time is zero unless the sender
   * asks for a wait.
   */
  Duration waitLimit() {
    return pollWait
        .or(() -> timeout.map(whole -> whole.compareTo(MAX_WAIT) < 0 ? whole : MAX_WAIT))
        .orElse(Duration.ZERO);
  }

  /** Zero means the maximum. */
  private static Duration timeout(double seconds) {
    return within(seconds == 0 ? MAX_TIMEOUT_S : seconds, MIN_TIMEOUT_S, MAX_TIMEOUT_S);
  }

  private static Duration within(double seconds, double least, double most) {
    return Duration.ofNanos(Math.round(Math.clamp(seconds, least, most) * 1e9));
  }

  private static Optional<Double> seconds(String name, @Nullable String value) {
    if (value == null || value.isBlank()) {
      return Optional.empty();
    }
    double seconds;
    try {
      seconds = Double.parseDouble(value.strip());
    } catch (NumberFormatException e) {
      throw notSeconds(name);
    }
    if (!Double.isFinite(seconds)) {
      throw notSeconds(name);
    }
    return Optional.of(seconds);
  }

  private static ProblemException notSeconds(String name) {
    return ProblemException.validation(
        name + ": not usable (expected: a finite number of seconds, like 30)");
  }
}

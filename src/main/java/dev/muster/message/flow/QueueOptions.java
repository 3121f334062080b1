package dev.muster.message.flow;

import dev.muster.message.call.DeliverySettings;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.WholeNumber;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The queue options of a request, used if it has to wait (R7.7).
 *
 * @param priority 0 to 100
 * @param life how long it may wait, counted from when the request came
 */
record QueueOptions(int priority, Duration life) {

  /** The names of the options, members of a request's {@code params}. */
  static final String PRIORITY = "priority";

  static final String EXPIRES = "expires_in_seconds";

  private static final long USUAL_PRIORITY = 50;
  private static final int MAX_PRIORITY = 100;

  private static final BigInteger MIN_LONG = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

  /** Reads the options of a JSON-RPC request; refuses with 400 what is not a number. */
  static QueueOptions of(JsonNode request, DeliverySettings settings) {
    JsonNode params = request.path("params");
    long priority = number(params, PRIORITY).orElse(USUAL_PRIORITY);
    return new QueueOptions(
        Math.clamp(priority, 0, MAX_PRIORITY), settings.life(number(params, EXPIRES)));
  }

  private static Optional<Long> number(JsonNode params, String name) {
    @Nullable JsonNode value = params.get(name);
    if (value == null || value.isNull()) {
      return Optional.empty();
    }
    BigInteger number =
        WholeNumber.of(value)
            .orElseThrow(() ->
                ProblemException.validation(
                    "params." + name + ": not a number (expected: a whole number)"));
    return Optional.of(number.min(MAX_LONG).max(MIN_LONG).longValueExact());
  }
}

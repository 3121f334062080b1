package dev.muster.a2a;

import dev.muster.delivery.DeliverySettings;
import dev.muster.platform.problem.ProblemException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The queue options of a request, used if it has to wait (R7.7). */
record QueueOptions(int priority, Duration life) {

  private static final long USUAL_PRIORITY = 50;
  private static final int HIGHEST_PRIORITY = 100;

  private static final BigDecimal LOWEST = BigDecimal.valueOf(Long.MIN_VALUE);
  private static final BigDecimal HIGHEST = BigDecimal.valueOf(Long.MAX_VALUE);

  static QueueOptions of(NormalizedRequest request, DeliverySettings settings) {
    JsonNode params = request.body().path("params");
    long priority = number(params, "priority").orElse(USUAL_PRIORITY);
    return new QueueOptions(
        Math.clamp(priority, 0, HIGHEST_PRIORITY),
        settings.life(number(params, "expires_in_seconds")));
  }

  private static Optional<Long> number(JsonNode params, String name) {
    @Nullable JsonNode value = params.get(name);
    if (value == null || value.isNull()) {
      return Optional.empty();
    }
    if (!value.isNumber()) {
      throw ProblemException.validation(
          "params." + name + ": not a number (expected: a whole number)");
    }
    return Optional.of(clamped(value.decimalValue()));
  }

  /** Clamps without expanding the number, which may have 1,000 million digits. */
  private static long clamped(BigDecimal number) {
    return number.min(HIGHEST).max(LOWEST).longValue();
  }
}

package dev.muster.message.flow;

import dev.muster.message.call.DeliverySettings;
import dev.muster.message.store.MessageAdmission.DeliveryTerms;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.WholeNumber;
import java.math.BigInteger;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads how a message waits, if it has to, from the options of its request (R7.7). */
final class QueueOptions {

  /** The names of the options, members of a request's {@code params}. */
  private static final String PRIORITY = "priority";

  private static final String EXPIRES = "expires_in_seconds";

  private static final int USUAL_PRIORITY = Kind.MESSAGE.usualPriority();
  private static final int MAX_PRIORITY = 100;

  private static final BigInteger MIN_LONG = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

  private QueueOptions() {}

  /** Reads the options of a JSON-RPC request; refuses with 400 what is not a number. */
  static DeliveryTerms of(JsonNode request, Kind kind, DeliverySettings settings) {
    JsonNode params = request.path("params");
    long priority = number(params, PRIORITY).orElse((long) USUAL_PRIORITY);
    return new DeliveryTerms(
        kind, Math.clamp(priority, 0, MAX_PRIORITY), settings.life(number(params, EXPIRES)));
  }

  /** Reads them for a poll agent, to which wrong ones are no error: they count as not stated. */
  static DeliveryTerms orUsual(JsonNode request, Kind kind, DeliverySettings settings) {
    try {
      return of(request, kind, settings);
    } catch (ProblemException _) {
      return new DeliveryTerms(kind, USUAL_PRIORITY, settings.life(Optional.empty()));
    }
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

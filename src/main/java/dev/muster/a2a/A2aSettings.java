package dev.muster.a2a;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;
import java.time.Duration;

/**
 * How hard requests are brought to agents (contract, section 12).
 *
 * @param maxAttempts of one send
 * @param totalBudget of a turn whose sender gives no time of its own
 * @param readTimeout how long an agent may be silent, unless it says otherwise itself
 * @param retriesAmbiguous whether what an agent may have got is sent again
 */
record A2aSettings(
    int maxAttempts, Duration totalBudget, Duration readTimeout, boolean retriesAmbiguous) {

  static A2aSettings from(Settings settings) {
    return new A2aSettings(
        settings.tuning("A2A_DELEGATE_MAX_ATTEMPTS", 5, Values::positiveInt),
        Duration.ofSeconds(settings.tuning("A2A_DELEGATE_TOTAL_BUDGET", 600, Values::positiveInt)),
        Duration.ofSeconds(settings.tuning("A2A_DELEGATE_READ_TIMEOUT", 300, Values::positiveInt)),
        settings.tuning("A2A_RETRY_AMBIGUOUS", true, Values::flag));
  }
}

package dev.muster.heartbeat;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The error rates (0..1) at which a workspace degrades and below which it recovers. */
record ErrorRateThresholds(double degradeAt, double recoverBelow) {

  static final ErrorRateThresholds DEFAULT = new ErrorRateThresholds(0.5, 0.1);

  private static final Logger log = LoggerFactory.getLogger(ErrorRateThresholds.class);

  static ErrorRateThresholds from(Settings settings) {
    ErrorRateThresholds read =
        new ErrorRateThresholds(
            settings.tuning("DEGRADE_AT_ERROR_RATE", DEFAULT.degradeAt(), Values::ratio),
            settings.tuning("RECOVER_BELOW_ERROR_RATE", DEFAULT.recoverBelow(), Values::ratio));
    if (read.recoverBelow() > read.degradeAt()) {
      log.warn(
          "RECOVER_BELOW_ERROR_RATE={} is above DEGRADE_AT_ERROR_RATE={}; using the defaults {} and"
              + " {}",
          read.recoverBelow(),
          read.degradeAt(),
          DEFAULT.recoverBelow(),
          DEFAULT.degradeAt());
      return DEFAULT;
    }
    return read;
  }
}

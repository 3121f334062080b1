package dev.muster.heartbeat;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The error rates (0..1) at which a workspace degrades, and below which it has recovered. */
record Thresholds(double degradeAt, double recoverBelow) {

  static final Thresholds DEFAULT = new Thresholds(0.5, 0.1);

  private static final Logger log = LoggerFactory.getLogger(Thresholds.class);

  static Thresholds from(Settings settings) {
    Thresholds read =
        new Thresholds(
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

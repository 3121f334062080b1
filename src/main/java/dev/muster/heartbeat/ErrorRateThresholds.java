package dev.muster.heartbeat;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The error rates (0..1) at which a workspace degrades and below which it recovers. If the second
 * is above the first, both are the defaults, with a warning.
 */
@ConfigurationProperties("muster.heartbeat")
record ErrorRateThresholds(double degradeAt, double recoverBelow) {

  static final ErrorRateThresholds DEFAULT = new ErrorRateThresholds(0.5, 0.1);

  private static final Logger log = LoggerFactory.getLogger(ErrorRateThresholds.class);

  ErrorRateThresholds {
    if (recoverBelow > degradeAt) {
      log.warn(
          "RECOVER_BELOW_ERROR_RATE={} is above DEGRADE_AT_ERROR_RATE={}; using the defaults {} and"
              + " {}",
          recoverBelow,
          degradeAt,
          DEFAULT.recoverBelow,
          DEFAULT.degradeAt);
      recoverBelow = DEFAULT.recoverBelow;
      degradeAt = DEFAULT.degradeAt;
    }
  }
}

package dev.muster.heartbeat;

import dev.muster.heartbeat.StatusRules.ErrorRateThresholds;
import dev.muster.platform.settings.Setting;
import dev.muster.platform.settings.SettingChecks;
import java.util.List;
import java.util.Optional;
import org.springframework.core.env.Environment;

/** Warns of error rates that are not used, since the second is above the first. */
final class HeartbeatSettingChecks implements SettingChecks {

  @Override
  public List<String> warnings(Environment environment) {
    Optional<Double> degradeAt = Setting.DEGRADE_AT_ERROR_RATE.find(environment, Double.class);
    Optional<Double> recoverBelow =
        Setting.RECOVER_BELOW_ERROR_RATE.find(environment, Double.class);
    if (degradeAt.isEmpty()
        || recoverBelow.isEmpty()
        || !ErrorRateThresholds.areSwapped(degradeAt.get(), recoverBelow.get())) {
      return List.of();
    }
    ErrorRateThresholds used = ErrorRateThresholds.DEFAULT;
    return List.of(
        "RECOVER_BELOW_ERROR_RATE=%s is above DEGRADE_AT_ERROR_RATE=%s; using the defaults %s and %s"
            .formatted(recoverBelow.get(), degradeAt.get(), used.recoverBelow(), used.degradeAt()));
  }
}

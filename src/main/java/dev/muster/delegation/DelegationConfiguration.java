package dev.muster.delegation;

import dev.muster.delegation.DelegationSweeper.SweeperSettings;
import dev.muster.platform.settings.Setting;
import dev.muster.platform.work.Pace;
import dev.muster.platform.work.RecurringJob;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;

@Configuration(proxyBeanMethods = false)
class DelegationConfiguration {

  /**
   * Reads the setting from the environment, since a condition is checked before there are beans.
   */
  static final class SweeperIsEnabled implements Condition {
    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return Setting.DELEGATION_SWEEPER_ENABLED
          .find(context.getEnvironment(), Boolean.class)
          .orElseThrow();
    }
  }

  @Bean
  @Conditional(SweeperIsEnabled.class)
  RecurringJob delegationSweepJob(DelegationSweeper sweeper, SweeperSettings settings) {
    return new RecurringJob("delegation-sweep", settings.interval(), sweeper::sweep);
  }

  @Bean
  RecurringJob delegationDispatchJob(DelegationDispatch dispatch, Pace pace) {
    return new RecurringJob(
        "delegation-dispatch", pace.of(DelegationDispatch.JOB_INTERVAL), dispatch::dispatchQueued);
  }
}

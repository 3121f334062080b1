package dev.muster.a2a.queue;

import dev.muster.platform.jobs.DeliveryJob;
import dev.muster.platform.jobs.RecurringJob;
import dev.muster.platform.settings.Settings;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class QueueConfiguration {

  private static final Duration BETWEEN_PASSES = Duration.ofSeconds(15);

  @Bean
  QueueSettings queueSettings(Settings settings) {
    return QueueSettings.from(settings);
  }

  @Bean
  DeliveryJob queueDeliveryJob(TargetDeliveries deliveries) {
    return new DeliveryJob(TargetDeliveries.JOB, deliveries::run);
  }

  @Bean
  RecurringJob queuePassJob(QueuePass pass) {
    return new RecurringJob("queue-pass", BETWEEN_PASSES, pass::run);
  }
}

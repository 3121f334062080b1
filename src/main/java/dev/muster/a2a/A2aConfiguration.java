package dev.muster.a2a;

import dev.muster.platform.settings.Settings;
import dev.muster.protocol.client.A2aClient;
import dev.muster.protocol.client.AttemptListener;
import dev.muster.protocol.client.RetryPolicy;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The clients that call agents, as the settings want them. */
@Configuration(proxyBeanMethods = false)
class A2aConfiguration {

  @Bean
  A2aSettings a2aSettings(Settings settings) {
    return A2aSettings.from(settings);
  }

  @Bean
  AttemptListener attemptCounter(MeterRegistry metrics) {
    return (target, outcome) ->
        Counter.builder("muster.a2a.attempts")
            .tag("outcome", outcome)
            .register(metrics)
            .increment();
  }

  @Bean
  A2aClient a2aClient(A2aSettings settings, GuardedAddresses guard, AttemptListener listener) {
    return client(settings.maxAttempts(), settings, guard, listener);
  }

  @Bean
  QueuedSends queuedSends(A2aSettings settings, GuardedAddresses guard, AttemptListener listener) {
    return new QueuedSends(client(1, settings, guard, listener));
  }

  private static A2aClient client(
      int attempts, A2aSettings settings, GuardedAddresses guard, AttemptListener listener) {
    return A2aClient.builder()
        .policy(
            new RetryPolicy(
                attempts, settings.retriesAmbiguous(), RetryPolicy.DEFAULT.connectTimeout()))
        .budget(new TargetRetryBudget(System::nanoTime))
        .guard(guard)
        .listener(listener)
        .build();
  }
}

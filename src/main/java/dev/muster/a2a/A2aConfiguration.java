package dev.muster.a2a;

import dev.muster.platform.settings.Settings;
import dev.muster.protocol.client.A2aClient;
import dev.muster.protocol.client.AnswerBudget;
import dev.muster.protocol.client.AttemptListener;
import dev.muster.protocol.client.RetryPolicy;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The clients that call agents, as the settings want them. */
@Configuration(proxyBeanMethods = false)
class A2aConfiguration {

  private static final long MOST_OF_ANSWERS = 512L << 20;

  /** Of an answer there are its bytes, its text, and what the database is sent. */
  private static final int SHARE_OF_HEAP = 8;

  @Bean
  A2aSettings a2aSettings(Settings settings) {
    return A2aSettings.from(settings);
  }

  @Bean
  AttemptListener attemptCounter(MeterRegistry metrics) {
    return (target, outcome) ->
        Counter.builder("muster.a2a.attempts")
            .description("Attempts to send a message to an agent")
            .tag("outcome", outcome)
            .register(metrics)
            .increment();
  }

  /** As much as R0.7 grants to requests, where the heap is large enough for what is made of it. */
  @Bean
  AnswerBudget answerBudget() {
    return new AnswerBudget(
        Math.min(MOST_OF_ANSWERS, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP));
  }

  @Bean
  TurnSlots turnSlots() {
    return TurnSlots.ofHeap(Runtime.getRuntime().maxMemory());
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

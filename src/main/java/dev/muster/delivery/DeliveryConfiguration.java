package dev.muster.delivery;

import dev.muster.platform.settings.Settings;
import dev.muster.protocol.client.ResponseMemoryBudget;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The settings of deliveries, and what they may take of the heap. */
@Configuration(proxyBeanMethods = false)
class DeliveryConfiguration {

  private static final long MAX_RESPONSE_BYTES = 512L << 20;

  /** Of an answer there are its bytes, its text, and what the database is sent. */
  private static final int SHARE_OF_HEAP = 8;

  @Bean
  DeliverySettings deliverySettings(Settings settings) {
    return DeliverySettings.from(settings);
  }

  /** As much as R0.7 grants to requests, where the heap is large enough for what is made of it. */
  @Bean
  ResponseMemoryBudget answerBudget() {
    return new ResponseMemoryBudget(
        Math.min(MAX_RESPONSE_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP));
  }

  @Bean
  DeliverySlots deliverySlots() {
    return new DeliverySlots(Runtime.getRuntime().maxMemory());
  }
}

package dev.muster.message.flow;

import dev.muster.protocol.client.ResponseMemoryBudget;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Provides the memory limits of deliveries. */
@Configuration(proxyBeanMethods = false)
class DeliveryConfiguration {

  private static final long MAX_RESPONSE_BYTES = 512L << 20;

  /** An eighth of the heap. A response exists as bytes, as text and as a statement parameter. */
  private static final int SHARE_OF_HEAP = 8;

  /**
   * Limits the memory of responses. The limit is 512 MiB, as R0.7 sets for requests, or an eighth
   * of the heap if that is less.
   */
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

package dev.muster.delivery;

import dev.muster.activity.ActivityKey;
import org.jspecify.annotations.Nullable;

/**
 * The end of a delivery, by its holder.
 *
 * @param queueState how it left the queue; null for what was sent at once
 */
record Completion(
    ActivityKey key,
    DeliveryClaim claim,
    @Nullable QueueState queueState,
    DeliveryOutcome outcome) {}

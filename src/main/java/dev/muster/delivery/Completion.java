package dev.muster.delivery;

import dev.muster.activity.ActivityKey;
import org.jspecify.annotations.Nullable;

/**
 * The end of a delivery, reported by its holder.
 *
 * @param queueState how the message leaves the queue; null if it was not queued
 */
record Completion(
    ActivityKey key,
    DeliveryClaim claim,
    @Nullable QueueState queueState,
    DeliveryOutcome outcome) {}

package dev.muster.message.store;

import java.util.UUID;

/**
 * Identifies the exclusive right of one replica to deliver a message. The replica never reuses
 * {@code number}. A replica that lost a delivery can therefore neither end it nor give it back.
 */
public record DeliveryClaim(UUID owner, long number) {}

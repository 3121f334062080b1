package dev.muster.workspace;

import java.util.UUID;

/** A workspace that somebody may send to. */
public record Target(UUID id, String name, DeliveryMode deliveryMode) {}

package dev.muster.workspace;

import java.util.UUID;

/** A workspace that is there, as those need to know it who send to it. */
public record Target(UUID id, String name, DeliveryMode deliveryMode) {}

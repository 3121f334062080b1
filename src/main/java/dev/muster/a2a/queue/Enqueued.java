package dev.muster.a2a.queue;

import java.util.UUID;

/** A message that waits; {@code depth} is how many wait for its target, this one included. */
public record Enqueued(UUID queueId, int depth) {}

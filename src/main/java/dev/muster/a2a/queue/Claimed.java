package dev.muster.a2a.queue;

/** A message that is {@code owner}'s to deliver, as long as the lease is renewed for it. */
public record Claimed(QueuedMessage message, String owner) {}

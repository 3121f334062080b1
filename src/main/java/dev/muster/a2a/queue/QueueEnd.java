package dev.muster.a2a.queue;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The end that {@code owner}, who was given the message to deliver, makes of it. */
public record QueueEnd(UUID queueId, String owner, EndState state, @Nullable String error) {}

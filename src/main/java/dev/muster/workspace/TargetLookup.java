package dev.muster.workspace;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Holds a target, and when it was removed; {@code removedAt} is null while it exists. */
record TargetLookup(DeliveryTarget target, @Nullable Instant removedAt) {}

package dev.muster.workspace;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** That a workspace is there, or was until {@code removedAt}. */
record TargetLookup(DeliveryTarget target, @Nullable Instant removedAt) {}

package dev.muster.workspace;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** That a workspace is there, or was until {@code removedAt}. */
record Presence(Target target, @Nullable Instant removedAt) {}

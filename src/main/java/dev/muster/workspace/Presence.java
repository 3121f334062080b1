package dev.muster.workspace;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * That a workspace is there, or was until {@code removedAt}.
 *
 * @param treeVersion of the tree at the same moment, for {@link KnownPairs}
 */
record Presence(Target target, @Nullable Instant removedAt, long treeVersion) {}

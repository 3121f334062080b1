package dev.muster.identity;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The fields of a minted workspace token that may be shown. */
public record TokenInfo(UUID id, String prefix, Instant createdAt, @Nullable Instant lastUsedAt) {}

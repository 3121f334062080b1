package dev.muster.identity;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What may be shown of a token after it was minted. */
public record TokenInfo(UUID id, String prefix, Instant createdAt, @Nullable Instant lastUsedAt) {}

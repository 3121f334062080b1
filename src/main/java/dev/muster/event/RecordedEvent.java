package dev.muster.event;

import dev.muster.platform.json.RawJson;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One event as it is read (R10.1); {@code seq} is consecutive over all events. */
public record RecordedEvent(
    UUID id,
    long seq,
    String eventType,
    @Nullable UUID workspaceId,
    RawJson payload,
    Instant createdAt) {}

package dev.muster.activity;

import dev.muster.platform.json.RawJson;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message as it is kept in a feed.
 *
 * @param id of its row
 * @param senderId null for the canvas, and for the system
 * @param age since it was stored
 * @param delegationId the delegation that it names, whether or not that is the sender's
 * @param systemText what the control plane itself says by it; null for others' messages
 */
public record StoredMessage(
    ActivityKey key,
    UUID id,
    @Nullable UUID senderId,
    String method,
    RawJson request,
    Duration age,
    @Nullable String messageId,
    @Nullable String delegationId,
    @Nullable String systemText) {}

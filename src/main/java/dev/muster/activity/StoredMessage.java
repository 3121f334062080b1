package dev.muster.activity;

import dev.muster.platform.json.RawJson;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message as it is stored in a feed.
 *
 * @param id of its row
 * @param senderId null for the canvas and the system
 * @param age time since it was stored
 * @param delegationId the delegation that it names, whether or not it is the sender's
 * @param systemText the server's own text; null for messages of other senders
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

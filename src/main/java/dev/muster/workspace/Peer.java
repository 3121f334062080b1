package dev.muster.workspace;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.muster.platform.json.RawJson;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Describes a workspace to its siblings, children and parent (R3.6). */
record Peer(
    UUID id,
    String name,
    String role,
    int tier,
    WorkspaceStatus status,
    String url,
    DeliveryMode deliveryMode,
    @Nullable UUID parentId,
    int activeTasks,
    @Nullable RawJson agentCard,
    @JsonIgnore Instant createdAt) {}

package dev.muster.workspace;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.muster.platform.text.RawJson;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Describes one workspace to clients, in lists and alone (docs/api.md, section 2).
 *
 * @param modeSaid whether a request named the delivery mode; else it follows the url (R3.2)
 */
record Workspace(
    UUID id,
    String name,
    @Nullable String role,
    int tier,
    @Nullable UUID parentId,
    String runtime,
    String url,
    DeliveryMode deliveryMode,
    @JsonIgnore boolean modeSaid,
    @Nullable RawJson agentCard,
    WorkspaceStatus status,
    @Nullable DegradedReason degradedReason,
    String lastSampleError,
    @Nullable String hint,
    double lastErrorRate,
    int activeTasks,
    int maxConcurrentTasks,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String currentTask,
    long uptimeSeconds,
    boolean stalled,
    @Nullable Instant stalledSince,
    @Nullable Instant lastHeartbeatAt,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Instant restartRequestedAt,
    Instant statusSince,
    double x,
    double y,
    boolean collapsed,
    Instant createdAt,
    Instant updatedAt,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Instant removedAt) {

  boolean isRemoved() {
    return status == WorkspaceStatus.REMOVED;
  }

  /**
   * Returns a copy for peers and the public, which must see neither the agent's current task nor
   * what operators asked of it.
   */
  Workspace withoutCurrentTask() {
    return new Workspace(
        id,
        name,
        role,
        tier,
        parentId,
        runtime,
        url,
        deliveryMode,
        modeSaid,
        agentCard,
        status,
        degradedReason,
        lastSampleError,
        hint,
        lastErrorRate,
        activeTasks,
        maxConcurrentTasks,
        null,
        uptimeSeconds,
        stalled,
        stalledSince,
        lastHeartbeatAt,
        null,
        statusSince,
        x,
        y,
        collapsed,
        createdAt,
        updatedAt,
        removedAt);
  }
}

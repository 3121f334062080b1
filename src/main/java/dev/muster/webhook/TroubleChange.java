package dev.muster.webhook;

import dev.muster.event.RecordedEvent;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The change that a recorded event makes to the trouble of a workspace or delegation. */
sealed interface TroubleChange {

  /** The id of the workspace or the delegation. */
  String subject();

  /** The trouble begins. */
  record Begins(
      String subject,
      UUID workspaceId,
      @Nullable UUID targetId,
      Cause cause,
      @Nullable String error,
      Instant since)
      implements TroubleChange {}

  /** The workspace or delegation has recovered. */
  record Ends(String subject) implements TroubleChange {}

  /** It is paused, removed or failed: no longer in trouble, but not recovered. */
  record Leaves(String subject) implements TroubleChange {}

  JsonMapper JSON = JsonMapper.shared();

  /** Returns the change of an event; empty for an event that changes nothing here. */
  static Optional<TroubleChange> of(RecordedEvent event) {
    @Nullable UUID workspaceId = event.workspaceId();
    if (workspaceId == null) {
      return Optional.empty();
    }
    return Optional.ofNullable(
        switch (event.eventType()) {
          case "WORKSPACE_DEGRADED" -> degraded(workspaceId, event);
          case "WORKSPACE_OFFLINE" -> begins(workspaceId, Cause.SILENCE, null, event);
          case "WORKSPACE_STALLED" -> begins(workspaceId, Cause.WRITES_NOTHING, null, event);
          case "WORKSPACE_ONLINE" -> new Ends(workspaceId.toString());
          case "WORKSPACE_AWAITING_AGENT", "WORKSPACE_PAUSED", "WORKSPACE_REMOVED" ->
              new Leaves(workspaceId.toString());
          case "DELEGATION_STUCK" -> stuck(workspaceId, event);
          case "DELEGATION_STATUS" -> moved(event);
          case "DELEGATION_COMPLETE" -> new Ends(delegation(event));
          case "DELEGATION_FAILED" -> new Leaves(delegation(event));
          default -> null;
        });
  }

  private static TroubleChange degraded(UUID workspaceId, RecordedEvent event) {
    JsonNode payload = payload(event);
    @Nullable String error = payload.path("sample_error").asString(null);
    String reason = payload.hasNonNull("runtime_state") ? "runtime_wedged" : "error_rate";
    Cause cause = new Cause(Cause.DEGRADED, reason, Cause.pattern(error));
    return begins(workspaceId, cause, error, event);
  }

  private static TroubleChange begins(
      UUID workspaceId, Cause cause, @Nullable String error, RecordedEvent event) {
    return new Begins(workspaceId.toString(), workspaceId, null, cause, error, event.createdAt());
  }

  private static TroubleChange stuck(UUID callerId, RecordedEvent event) {
    UUID targetId = UUID.fromString(payload(event).path("target_id").asString());
    return new Begins(
        delegation(event), callerId, targetId, Cause.CALLEE_SILENT, null, event.createdAt());
  }

  /** An operator's retry also ends {@code stuck}, but without a new heartbeat of the callee. */
  private static TroubleChange moved(RecordedEvent event) {
    boolean isBack = payload(event).path("status").asString("").equals("in_progress");
    return isBack ? new Ends(delegation(event)) : new Leaves(delegation(event));
  }

  private static String delegation(RecordedEvent event) {
    return Objects.requireNonNull(payload(event).path("delegation_id").asString(null));
  }

  private static JsonNode payload(RecordedEvent event) {
    return JSON.readTree(event.payload().text());
  }
}

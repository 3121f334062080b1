package dev.muster.webhook;

import dev.muster.event.RecordedEvent;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The change that a recorded event makes to the trouble of a workspace or delegation. */
sealed interface TroubleChange {

  /**
   * The id of the workspace or the delegation; of a stall {@code stall:} and the workspace's id,
   * since a workspace can be degraded and stalled.
   */
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

  /** Returns the changes of an event, each of another subject. */
  static List<TroubleChange> of(RecordedEvent event) {
    @Nullable UUID workspaceId = event.workspaceId();
    if (workspaceId == null) {
      return List.of();
    }
    String workspace = workspaceId.toString();
    return switch (event.eventType()) {
      case "WORKSPACE_DEGRADED" -> List.of(degraded(workspaceId, event));
      case "WORKSPACE_OFFLINE" ->
          List.of(
              begins(workspace, workspaceId, Cause.SILENCE, null, event),
              new Leaves(stall(workspaceId)));
      case "WORKSPACE_STALLED" -> List.of(stalled(workspaceId, event));
      case "WORKSPACE_STALL_ENDED" -> List.of(new Ends(stall(workspaceId)));
      case "WORKSPACE_ONLINE" -> List.of(new Ends(workspace));
      case "WORKSPACE_AWAITING_AGENT", "WORKSPACE_PAUSED", "WORKSPACE_REMOVED" ->
          List.of(new Leaves(workspace), new Leaves(stall(workspaceId)));
      case "DELEGATION_STUCK" -> List.of(stuck(workspaceId, event));
      case "DELEGATION_STATUS" -> List.of(moved(event));
      case "DELEGATION_COMPLETE" -> List.of(new Ends(delegation(event)));
      case "DELEGATION_FAILED" -> List.of(new Leaves(delegation(event)));
      default -> List.of();
    };
  }

  private static TroubleChange degraded(UUID workspaceId, RecordedEvent event) {
    JsonNode payload = payload(event);
    @Nullable String error = payload.path("sample_error").asString(null);
    String reason = payload.hasNonNull("runtime_state") ? "runtime_wedged" : "error_rate";
    Cause cause = new Cause(Cause.DEGRADED, reason, Cause.pattern(error));
    return begins(workspaceId.toString(), workspaceId, cause, error, event);
  }

  private static TroubleChange begins(
      String subject, UUID workspaceId, Cause cause, @Nullable String error, RecordedEvent event) {
    return new Begins(subject, workspaceId, null, cause, error, event.createdAt());
  }

  private static TroubleChange stalled(UUID workspaceId, RecordedEvent event) {
    Instant since =
        payload(event)
            .path("stalled_since")
            .stringValueOpt()
            .map(Instant::parse)
            .orElse(event.createdAt());
    return new Begins(stall(workspaceId), workspaceId, null, Cause.WRITES_NOTHING, null, since);
  }

  private static String stall(UUID workspaceId) {
    return "stall:" + workspaceId;
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

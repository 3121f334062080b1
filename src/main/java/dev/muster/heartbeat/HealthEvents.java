package dev.muster.heartbeat;

import dev.muster.event.EventType;
import dev.muster.event.NewEvent;
import dev.muster.heartbeat.StatusRules.StatusDecision.Degraded;
import dev.muster.heartbeat.StatusRules.StatusDecision.Online;
import dev.muster.heartbeat.StatusRules.StatusDecision.OtherReason;
import dev.muster.heartbeat.StatusRules.StatusDecision.Unchanged;
import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.LifecycleEvents;
import dev.muster.workspace.WorkspaceStatus;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Builds the event of a status decision, if the decision has one (R4.2). */
final class HealthEvents {

  private HealthEvents() {}

  static Optional<NewEvent> of(HeartbeatDecision evaluated, Instant since) {
    return switch (evaluated.decision()) {
      case Unchanged() -> Optional.empty();
      case OtherReason(DegradedReason reason) -> Optional.empty();
      case Degraded(DegradedReason reason) ->
          Optional.of(
              event(
                  EventType.WORKSPACE_DEGRADED,
                  evaluated,
                  since,
                  degradedFields(evaluated, reason)));
      case Online(WorkspaceStatus from) ->
          Optional.of(
              event(EventType.WORKSPACE_ONLINE, evaluated, since, onlineFields(evaluated, from)));
    };
  }

  private static Map<String, Object> degradedFields(
      HeartbeatDecision evaluated, DegradedReason reason) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", evaluated.stored().name());
    switch (reason) {
      case RUNTIME_WEDGED -> fields.put("runtime_state", evaluated.heartbeat().runtimeState());
      case ERROR_RATE -> fields.put("error_rate", evaluated.signals().errorRate());
    }
    fields.put("sample_error", evaluated.nextSampleError());
    fields.put("hint", reason.hint());
    return fields;
  }

  private static Map<String, Object> onlineFields(
      HeartbeatDecision evaluated, WorkspaceStatus from) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", evaluated.stored().name());
    fields.put("recovered_from", from);
    return fields;
  }

  private static NewEvent event(
      EventType type, HeartbeatDecision evaluated, Instant since, Map<String, Object> fields) {
    return LifecycleEvents.of(
        type,
        evaluated.stored().workspaceId(),
        evaluated.stored().status(),
        evaluated.nextStatus(),
        since,
        evaluated.nextReason(),
        fields);
  }
}

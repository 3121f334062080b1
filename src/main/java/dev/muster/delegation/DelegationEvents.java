package dev.muster.delegation;

import dev.muster.delegation.DelegationRepository.NewDelegation;
import dev.muster.event.EventType;
import dev.muster.event.NewEvent;
import dev.muster.platform.text.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Builds the caller's events about its delegations (R8.10). */
final class DelegationEvents {

  private static final int TASK_CHARACTERS = 100;
  private static final int RESPONSE_CHARACTERS = 200;

  private DelegationEvents() {}

  static NewEvent sent(NewDelegation delegation) {
    Map<String, @Nullable Object> payload = about(delegation.delegationId(), delegation.calleeId());
    payload.put("task_preview", Text.cut(delegation.task().fullText(), TASK_CHARACTERS));
    return new NewEvent(EventType.DELEGATION_SENT, delegation.callerId(), payload);
  }

  static NewEvent of(Transition transition) {
    LockedDelegation delegation = transition.delegation();
    Map<String, @Nullable Object> payload = about(delegation.delegationId(), delegation.calleeId());
    EventType type =
        switch (delegation.status()) {
          case QUEUED, DISPATCHED, IN_PROGRESS -> {
            payload.put("status", delegation.status().wire());
            yield EventType.DELEGATION_STATUS;
          }
          case STUCK -> {
            Instant lastHeartbeatAt = Objects.requireNonNull(transition.lastHeartbeatAt());
            payload.put("status", delegation.status().wire());
            payload.put(
                "silent_for_s", Duration.between(lastHeartbeatAt, delegation.now()).toSeconds());
            yield EventType.DELEGATION_STUCK;
          }
          case COMPLETED -> {
            String preview = delegation.result().preview();
            payload.put("response_preview", Text.cut(preview, RESPONSE_CHARACTERS));
            yield EventType.DELEGATION_COMPLETE;
          }
          case FAILED -> {
            payload.put("error", delegation.error());
            if (delegation.state().errorKind() != null) {
              payload.put("error_kind", delegation.state().errorKind());
            }
            yield EventType.DELEGATION_FAILED;
          }
        };
    return new NewEvent(type, delegation.callerId(), payload);
  }

  private static Map<String, @Nullable Object> about(String delegationId, UUID calleeId) {
    Map<String, @Nullable Object> payload = new LinkedHashMap<>();
    payload.put("delegation_id", delegationId);
    payload.put("target_id", calleeId);
    return payload;
  }
}

package dev.muster.delegation;

import dev.muster.event.EventType;
import dev.muster.event.NewEvent;
import dev.muster.platform.text.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** What the caller's events say of its delegations (R8.10). */
@Component
class DelegationEvents {

  private static final int TASK_CHARACTERS = 100;
  private static final int RESPONSE_CHARACTERS = 200;

  NewEvent sent(UUID callerId, UUID calleeId, String delegationId, String task) {
    Map<String, @Nullable Object> payload = new LinkedHashMap<>();
    payload.put("delegation_id", delegationId);
    payload.put("target_id", calleeId);
    payload.put("task_preview", Text.cut(task, TASK_CHARACTERS));
    return new NewEvent(EventType.DELEGATION_SENT, callerId, payload);
  }

  NewEvent of(Transition transition) {
    LockedDelegation delegation = transition.delegation();
    return switch (delegation.status()) {
      case QUEUED, DISPATCHED, IN_PROGRESS, STUCK -> standing(delegation);
      case COMPLETED -> completed(delegation);
      case FAILED -> failed(delegation);
    };
  }

  private static NewEvent standing(LockedDelegation delegation) {
    Map<String, @Nullable Object> payload = about(delegation);
    payload.put("status", delegation.status().wire());
    return new NewEvent(EventType.DELEGATION_STATUS, delegation.callerId(), payload);
  }

  private static NewEvent completed(LockedDelegation delegation) {
    Map<String, @Nullable Object> payload = about(delegation);
    payload.put("response_preview", Text.cut(delegation.result().preview(), RESPONSE_CHARACTERS));
    return new NewEvent(EventType.DELEGATION_COMPLETE, delegation.callerId(), payload);
  }

  private static NewEvent failed(LockedDelegation delegation) {
    Map<String, @Nullable Object> payload = about(delegation);
    payload.put("error", delegation.error());
    if (delegation.progress().errorKind() != null) {
      payload.put("error_kind", delegation.progress().errorKind());
    }
    return new NewEvent(EventType.DELEGATION_FAILED, delegation.callerId(), payload);
  }

  /** Its callee, or that whole workspace, was last heard of at {@code heardAt}. */
  NewEvent stuck(LockedDelegation delegation, Instant heardAt) {
    Map<String, @Nullable Object> payload = about(delegation);
    payload.put("status", delegation.status().wire());
    payload.put("silent_for_s", Duration.between(heardAt, delegation.now()).toSeconds());
    return new NewEvent(EventType.DELEGATION_STUCK, delegation.callerId(), payload);
  }

  private static Map<String, @Nullable Object> about(LockedDelegation delegation) {
    Map<String, @Nullable Object> payload = new LinkedHashMap<>();
    payload.put("delegation_id", delegation.delegationId());
    payload.put("target_id", delegation.calleeId());
    return payload;
  }
}

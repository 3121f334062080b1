package dev.muster.delegation;

import dev.muster.delegation.DelegationRepository.NewDelegation;
import dev.muster.message.DelegationMessenger;
import dev.muster.message.NewActivity;
import dev.muster.message.NewActivity.ActivityResult;
import dev.muster.platform.text.RawJson;
import dev.muster.platform.text.Text;
import dev.muster.protocol.MessageContent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Builds the rows that notify callers of the ends of their delegations, once (R8.7). */
@Component
class ResultActivities {

  private static final int SUMMARY_CHARACTERS = 200;

  private final DelegationMessenger messenger;
  private final JsonMapper json;

  ResultActivities(DelegationMessenger messenger, JsonMapper json) {
    this.messenger = messenger;
    this.json = json;
  }

  /** Builds the row of an end, for its caller. */
  NewActivity of(LockedDelegation delegation) {
    NewActivity row =
        delegation.status() == DelegationStatus.COMPLETED
            ? row(delegation, delegation.result().fullText(), new ActivityResult("ok", null, null))
            : row(
                delegation,
                delegation.error(),
                new ActivityResult("error", delegation.error(), null));
    return messenger.toCaller(row);
  }

  private NewActivity row(LockedDelegation delegation, String text, ActivityResult result) {
    String id = delegation.delegationId();
    Map<String, Object> response = new LinkedHashMap<>();
    response.put("text", text);
    response.put("delegation_id", id);
    return NewActivity.delegateResult(
        delegation.callerId(),
        delegation.calleeId(),
        "Delegation result: " + Text.cut(text, SUMMARY_CHARACTERS),
        json(Map.of("delegation_id", id)),
        json(response),
        new MessageContent(text, DelegationIds.ofResult(id), id, List.of()),
        result);
  }

  /** Builds the row that notes the delegation in the caller's feed (R6.0). */
  NewActivity delegated(NewDelegation delegation, String calleeName) {
    String id = delegation.delegationId();
    String task = delegation.task().fullText();
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("delegation_id", id);
    request.put("target_id", delegation.calleeId());
    request.put("task", task);
    return NewActivity.delegation(
        delegation.callerId(),
        delegation.calleeId(),
        "delegate → " + calleeName,
        json(request),
        new MessageContent(task, null, id, List.of()));
  }

  private RawJson json(Object value) {
    return new RawJson(json.writeValueAsString(value));
  }
}

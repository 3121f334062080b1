package dev.muster.a2a;

import dev.muster.activity.MessageAdmission;
import dev.muster.activity.MessageAdmission.Kind;
import dev.muster.activity.NewActivity;
import dev.muster.delivery.DelegationMessage;
import dev.muster.delivery.DeliverySettings;
import dev.muster.delivery.Sender;
import dev.muster.delivery.SystemMessages;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.DeliveryTarget;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Service;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Makes the rows by which delegations and their results reach agents, each with its delivery. */
@Service
public class DelegationMessenger {

  /** Delegations are neither more nor less urgent than messages; their results are awaited. */
  private static final int PRIORITY = 50;

  private static final int PRIORITY_OF_RESULTS = 100;

  private final DeliverySettings settings;

  DelegationMessenger(DeliverySettings settings) {
    this.settings = settings;
  }

  /** For the callee's feed, and, unless it polls, for its queue, where it waits so long at most. */
  public NewActivity toCallee(
      DelegationMessage message, DeliveryTarget callee, String task, Duration life) {
    Sender caller = new Sender(message.callerId());
    return NormalizedRequest.of(request(message, task), caller, UUID::randomUUID)
        .rowFor(callee, caller)
        .with(
            callee.deliveryMode() == DeliveryMode.POLL
                ? MessageAdmission.toFeed(null)
                : MessageAdmission.toQueue(null, Kind.DELEGATION, PRIORITY, life));
  }

  private static ObjectNode request(DelegationMessage message, String task) {
    ObjectNode sent = SystemMessages.message(message.messageId(), task);
    sent.putObject("metadata").put("delegation_id", message.delegationId());
    ObjectNode request = JsonNodeFactory.instance.objectNode().put("method", "message/send");
    request.putObject("params").set("message", sent);
    return request;
  }

  /**
   * A row about the end of a delegation, for a caller whose agent is called: it is brought to it.
   */
  public NewActivity broughtToCaller(NewActivity row) {
    return row.with(
        MessageAdmission.toQueue(
            null, Kind.RESULT, PRIORITY_OF_RESULTS, settings.life(Optional.empty())));
  }
}

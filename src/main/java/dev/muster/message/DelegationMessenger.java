package dev.muster.message;

import dev.muster.message.call.DeliverySettings;
import dev.muster.message.flow.SystemMessages;
import dev.muster.message.send.NormalizedRequest;
import dev.muster.message.store.MessageAdmission;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.message.store.Sender;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.DeliveryTarget;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Service;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Builds the activity rows of delegations and their results, each with its delivery. */
@Service
public class DelegationMessenger {

  /**
   * Delegations have the priority of messages. Results have a higher one, since callers wait for
   * them.
   */
  private static final int PRIORITY = 50;

  private static final int PRIORITY_OF_RESULTS = 100;

  private final DeliverySettings settings;

  DelegationMessenger(DeliverySettings settings) {
    this.settings = settings;
  }

  /** Builds the row of a delegation. For a push agent it is queued, for at most {@code life}. */
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

  /** Queues a result row for the push agent of the caller. */
  public NewActivity withDeliveryToCaller(NewActivity row) {
    return row.with(
        MessageAdmission.toQueue(
            null, Kind.RESULT, PRIORITY_OF_RESULTS, settings.life(Optional.empty())));
  }
}

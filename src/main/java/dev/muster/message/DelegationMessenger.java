package dev.muster.message;

import dev.muster.message.call.DeliverySettings;
import dev.muster.message.flow.SystemMessages;
import dev.muster.message.send.NormalizedRequest;
import dev.muster.message.store.MessageAdmission;
import dev.muster.message.store.MessageAdmission.DeliveryTerms;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.message.store.Sender;
import dev.muster.workspace.DeliveryTarget;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Service;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Builds the rows of delegations and their results, each with its delivery. */
@Service
public class DelegationMessenger {

  private final DeliverySettings settings;

  DelegationMessenger(DeliverySettings settings) {
    this.settings = settings;
  }

  /** Builds the row of a delegation. Its message may wait for at most {@code life}. */
  public NewActivity toCallee(
      DelegationMessage message, DeliveryTarget callee, String task, Duration life) {
    Sender caller = new Sender(message.callerId());
    return NormalizedRequest.of(request(message, task), caller, UUID::randomUUID)
        .rowFor(callee, caller)
        .with(MessageAdmission.waiting(DeliveryTerms.usual(Kind.DELEGATION, life)));
  }

  private static ObjectNode request(DelegationMessage message, String task) {
    ObjectNode sent = SystemMessages.message(message.messageId(), task);
    sent.putObject("metadata").put("delegation_id", message.delegationId());
    ObjectNode request = JsonNodeFactory.instance.objectNode().put("method", "message/send");
    request.putObject("params").set("message", sent);
    return request;
  }

  /** Adds its delivery to the row that reports the end of a delegation to its caller. */
  public NewActivity toCaller(NewActivity result) {
    return result.with(
        MessageAdmission.waiting(
            DeliveryTerms.usual(Kind.RESULT, settings.life(Optional.empty()))));
  }
}

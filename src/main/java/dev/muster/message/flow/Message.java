package dev.muster.message.flow;

import dev.muster.identity.CredentialRecheck;
import dev.muster.message.DelegationMessage;
import dev.muster.message.NewActivity;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.message.store.Sender;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.A2aMethod;
import dev.muster.protocol.client.Deadline;
import dev.muster.protocol.client.StreamSink;
import dev.muster.workspace.DeliveryTarget;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A request to an agent in normal form, with what its sender wants; most of them send a message.
 *
 * @param recheck rechecks the sender's credential: a revoked sender gets no response (R1.6)
 * @param row the row to store, without what is decided about it
 * @param method the method as it was sent; that of the row may be cut (R0.8)
 * @param request the JSON-RPC request
 * @param message the message of the request; null for a method that sends none
 * @param form the form of a response that the agent does not give to this request
 * @param deadline the end of the whole delivery, retries included (R7.8)
 * @param waitLimit how long the sender waits for the answer of a poll agent (R7.11); zero for not
 *     at all
 * @param sink takes the response if it is a stream; null if a stream is not wanted
 * @param memory receives the size of a stored response in bytes before it is read, and may refuse
 *     it
 * @param repliesTo the open delegation that the message replies to
 */
public record Message(
    Sender sender,
    CredentialRecheck recheck,
    NewActivity row,
    String method,
    ObjectNode request,
    @Nullable ObjectNode message,
    ResponseForm form,
    Deadline deadline,
    Duration waitLimit,
    @Nullable StreamSink sink,
    LongConsumer memory,
    Optional<DelegationMessage> repliesTo) {

  UUID targetId() {
    return row.workspaceId();
  }

  RawJson body() {
    return Objects.requireNonNull(row.bodies().request());
  }

  /** A result is always queued, so that its receiver gets it in any status (R8.7). */
  Kind kind() {
    return repliesTo.isPresent() ? Kind.RESULT : Kind.MESSAGE;
  }

  /** Whether it is a message, which takes a slot at the agent and can be repeated. */
  boolean isMessage() {
    return message != null;
  }

  /** Returns the method if it is one of A2A that asks for an answer at once (R7.13). */
  Optional<A2aMethod> question() {
    return A2aMethod.of(method).filter(known -> !known.sendsMessage());
  }

  /** Whether the request can be sent at once. */
  boolean canGo(DeliveryTarget target) {
    return kind() != Kind.RESULT && target.isReachable() && !(isMessage() && target.isAtCapacity());
  }
}

package dev.muster.message.flow;

import dev.muster.identity.CredentialRecheck;
import dev.muster.message.AppendResult;
import dev.muster.message.NewActivity;
import dev.muster.message.call.OutboundRequest;
import dev.muster.message.flow.DeliverySlots.DeliverySlot;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.message.store.ProxyResponse;
import dev.muster.message.store.Sender;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.client.Deadline;
import dev.muster.protocol.client.StreamSink;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.DeliveryTarget;
import dev.muster.workspace.WorkspaceStatus;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request to a push agent, with everything that its delivery needs.
 *
 * @param recheck rechecks the sender's credential: a revoked sender gets no response (R1.6)
 * @param row the activity row, which {@code appending} appends
 * @param kind a result is always queued, so that its receiver gets it in any status (R8.7)
 * @param isMessage whether it sends a message, which takes a slot at the agent and can be repeated
 * @param form the form of a response that the agent does not give to this request
 * @param sink takes the response if it is a stream; null if a stream is not wanted
 * @param priority the priority in the queue, 0 to 100
 * @param life how long it may wait in the queue
 * @param memory receives the size of a stored response in bytes before it is read, and may refuse
 *     it
 * @param lookAgain reads the current target; throws if the sender may no longer reach it
 * @param polled delivers to the feed instead, when the target polls now; the second argument is
 *     whether the message is in the feed already
 */
@SuppressWarnings("ArrayRecordComponent") // up to 16 MiB: passed on, never compared
public record Outgoing(
    Sender sender,
    CredentialRecheck recheck,
    NewActivity row,
    Function<NewActivity, AppendResult> appending,
    Kind kind,
    boolean isMessage,
    byte[] body,
    ResponseForm form,
    Deadline deadline,
    @Nullable StreamSink sink,
    int priority,
    Duration life,
    LongConsumer memory,
    Supplier<DeliveryTarget> lookAgain,
    BiFunction<DeliveryTarget, Boolean, Supplier<CompletableFuture<ProxyResponse>>> polled) {

  /** Whether the request can be sent at once. */
  boolean canGo(DeliveryTarget target) {
    return kind != Kind.RESULT && target.isReachable() && !(isMessage && target.isAtCapacity());
  }

  /**
   * Refuses the request when the push agent is paused now; its result of a delegation waits
   * instead.
   */
  void requireNotPaused(DeliveryTarget now) {
    if (kind != Kind.RESULT
        && now.status() == WorkspaceStatus.PAUSED
        && now.deliveryMode() == DeliveryMode.PUSH) {
      throw new ProblemException(
          ErrorCode.WORKSPACE_PAUSED,
          "the workspace " + now.id() + " is paused; send again when it is resumed");
    }
  }

  /**
   * Takes a slot of this replica for the target; returns false when none is free. A request that is
   * not a message cannot be queued and is refused instead.
   */
  boolean enter(DeliverySlot slot, DeliveryTarget target) {
    boolean entered = slot.enter(target.id());
    if (!entered && !isMessage) {
      throw ProblemException.unavailable(
          "the workspace " + target.id() + " is at work on too many requests; send again later");
    }
    return entered;
  }

  String method() {
    return Objects.requireNonNullElse(row.method(), "");
  }

  OutboundRequest to(DeliveryTarget target, @Nullable Integer idleTimeoutSeconds) {
    return new OutboundRequest(
        target,
        idleTimeoutSeconds,
        sender,
        body,
        row.headers(),
        OutboundRequest.isVersionFree(method(), row.headers()),
        deadline);
  }
}

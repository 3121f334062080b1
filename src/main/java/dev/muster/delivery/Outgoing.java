package dev.muster.delivery;

import dev.muster.activity.AppendResult;
import dev.muster.activity.MessageAdmission.Kind;
import dev.muster.activity.NewActivity;
import dev.muster.delivery.DeliverySlots.DeliverySlot;
import dev.muster.identity.CredentialRecheck;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.client.Deadline;
import dev.muster.protocol.client.StreamSink;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.DeliveryTarget;
import dev.muster.workspace.WorkspaceStatus;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request to an agent that is called.
 *
 * @param standing the sender's: an answer is only for one that still may have it (R1.6)
 * @param row that is to be appended for it, by {@code appending}
 * @param kind a result is always queued, so that its receiver gets it in any state (R8.7)
 * @param isMessage whether it sends a message, which takes a slot at the agent and can be repeated
 * @param headers of the sender that the agent gets to see
 * @param sink takes the answer if it is a stream
 * @param priority if it has to wait, for as long as {@code life}
 * @param memory is told the bytes of a stored answer before that is read, and may refuse them
 * @param lookAgain reads the target as it is now, and refuses as the first look did
 * @param polled what is done instead when the target polls by now
 */
@SuppressWarnings("ArrayRecordComponent") // up to 16 MiB: handed on, never compared
public record Outgoing(
    Sender sender,
    CredentialRecheck standing,
    NewActivity row,
    Function<NewActivity, AppendResult> appending,
    Kind kind,
    boolean isMessage,
    byte[] body,
    Map<String, String> headers,
    Deadline deadline,
    @Nullable StreamSink sink,
    int priority,
    Duration life,
    LongConsumer memory,
    Supplier<DeliveryTarget> lookAgain,
    Function<DeliveryTarget, Supplier<CompletableFuture<ProxyResponse>>> polled) {

  /** Whether the target can take it now; refuses when the target is paused. */
  boolean canGo(DeliveryTarget target) {
    if (kind == Kind.RESULT) {
      return false;
    }
    requireNotPaused(target);
    return target.isReachable() && !(isMessage && target.isAtCapacity());
  }

  private void requireNotPaused(DeliveryTarget target) {
    if (target.status() == WorkspaceStatus.PAUSED) {
      DeliveryTarget now = lookAgain.get();
      if (now.status() == WorkspaceStatus.PAUSED && now.deliveryMode() == DeliveryMode.PUSH) {
        throw new ProblemException(
            ErrorCode.WORKSPACE_PAUSED,
            "the workspace " + now.id() + " is paused; send again when it is resumed");
      }
    }
  }

  /**
   * Whether this replica may send one more to the target; what is no message cannot wait for that,
   * and is refused.
   */
  boolean enter(DeliverySlot slot, DeliveryTarget target) {
    boolean entered = slot.enter(target.id());
    if (!entered && !isMessage) {
      throw ProblemException.unavailable(
          "the workspace " + target.id() + " is at work on too many requests; send again later");
    }
    return entered;
  }

  OutboundRequest to(DeliveryTarget target, @Nullable Integer idleTimeoutSeconds) {
    return new OutboundRequest(target, idleTimeoutSeconds, sender, body, headers, deadline);
  }
}

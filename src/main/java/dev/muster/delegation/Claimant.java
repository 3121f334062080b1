package dev.muster.delegation;

import java.util.UUID;

/** Who wants something of a delegation; for anybody else there is none. */
sealed interface Claimant {

  /** Its caller or its callee. */
  record Party(UUID workspaceId) implements Claimant {}

  record Callee(UUID workspaceId) implements Claimant {}

  /** Who carries its messages from one to the other. */
  record Carrier(UUID callerId, UUID calleeId) implements Claimant {}

  /** As {@link Carrier}, by a message that no operator's retry has replaced. */
  record Delivery(UUID callerId, UUID calleeId, String messageId) implements Claimant {}

  /** The control plane, or an operator. */
  record Muster() implements Claimant {}

  default boolean mayTouch(LockedDelegation delegation) {
    return switch (this) {
      case Party(UUID one) ->
          delegation.callerId().equals(one) || delegation.calleeId().equals(one);
      case Callee(UUID one) -> delegation.calleeId().equals(one);
      case Carrier(UUID caller, UUID callee) ->
          delegation.callerId().equals(caller) && delegation.calleeId().equals(callee);
      case Delivery(UUID caller, UUID callee, String messageId) ->
          delegation.callerId().equals(caller)
              && delegation.calleeId().equals(callee)
              && (delegation.progress().retryCount() == 0
                  || delegation.messageId().equals(messageId));
      case Muster() -> true;
    };
  }
}

package dev.muster.delegation;

import dev.muster.message.DelegationMessage;
import java.util.UUID;

/** A request by an actor to change one delegation. */
record TransitionRequest(String delegationId, Actor by, DelegationCommand command) {

  /**
   * The requester of a change. A delegation that the actor may not change does not exist for it.
   */
  interface Actor {

    /** The server itself or an operator. */
    Actor SYSTEM = delegation -> true;

    boolean mayChange(LockedDelegation delegation);

    /** The caller or the callee. */
    static Actor participant(UUID workspaceId) {
      return delegation ->
          delegation.callerId().equals(workspaceId) || delegation.calleeId().equals(workspaceId);
    }

    static Actor callee(UUID workspaceId) {
      return delegation -> delegation.calleeId().equals(workspaceId);
    }

    /** The delivery of any message between the delegation's caller and callee. */
    static Actor messenger(DelegationMessage message) {
      return delegation ->
          delegation.callerId().equals(message.callerId())
              && delegation.calleeId().equals(message.calleeId());
    }

    /** Like {@link #messenger}, but only with a message that no retry has replaced. */
    static Actor delivery(DelegationMessage message) {
      return delegation ->
          messenger(message).mayChange(delegation)
              && (delegation.state().retryCount() == 0
                  || delegation.message().messageId().equals(message.messageId()));
    }
  }
}

package dev.muster.delegation;

import dev.muster.delivery.DelegationMessage;
import java.util.UUID;

/** A requested change of a delegation, and who requests it. */
record TransitionRequest(String delegationId, Actor by, DelegationCommand change) {

  /** Who requests a change; for an actor that may not change a delegation, there is none. */
  interface Actor {

    /** The control plane, or an operator. */
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

    /** What delivers messages between its caller and its callee. */
    static Actor messenger(DelegationMessage message) {
      return delegation ->
          delegation.callerId().equals(message.callerId())
              && delegation.calleeId().equals(message.calleeId());
    }

    /** As {@link #messenger}, by a message that no operator's retry has replaced. */
    static Actor delivery(DelegationMessage message) {
      return delegation ->
          messenger(message).mayChange(delegation)
              && (delegation.progress().retryCount() == 0
                  || delegation.message().messageId().equals(message.messageId()));
    }
  }
}

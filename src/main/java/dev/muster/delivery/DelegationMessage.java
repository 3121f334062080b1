package dev.muster.delivery;

import dev.muster.activity.Messages.DelegatedMessage;
import dev.muster.activity.StoredMessage;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that is carried for the sake of a delegation.
 *
 * @param callerId the workspace that sends it, or gets the reply
 * @param calleeId the workspace that gets it, or replies
 * @param messageId of the message to the callee
 */
public record DelegationMessage(
    String delegationId, UUID callerId, UUID calleeId, String messageId) {

  static DelegationMessage of(DelegatedMessage row) {
    return new DelegationMessage(
        row.delegationId(), row.senderId(), row.workspaceId(), row.messageId());
  }

  /** What the message may be; the ledger of delegations knows whether it is. */
  static Optional<DelegationMessage> of(StoredMessage message) {
    @Nullable UUID sender = message.senderId();
    return message.delegationId() == null || message.messageId() == null || sender == null
        ? Optional.empty()
        : Optional.of(
            new DelegationMessage(
                message.delegationId(), sender, message.key().workspaceId(), message.messageId()));
  }
}

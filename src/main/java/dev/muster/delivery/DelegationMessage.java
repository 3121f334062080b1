package dev.muster.delivery;

import dev.muster.activity.Messages.DelegatedMessage;
import dev.muster.activity.Messages.StoredMessage;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that belongs to a delegation.
 *
 * @param callerId the workspace that sends it or receives the reply
 * @param calleeId the workspace that receives it or replies
 * @param messageId the id of the message to the callee
 */
public record DelegationMessage(
    String delegationId, UUID callerId, UUID calleeId, String messageId) {

  /**
   * Time that the message may wait beyond the deadline of its delegation. The sweeper ends overdue
   * delegations; without it, the queue does so after this time.
   */
  public static final Duration MAX_OVERDUE = Duration.ofMinutes(15);

  static DelegationMessage of(DelegatedMessage row) {
    return new DelegationMessage(
        row.delegationId(), row.senderId(), row.workspaceId(), row.messageId());
  }

  /**
   * Returns the delegation message that this message may be. Only the delegation ledger can confirm
   * it.
   */
  static Optional<DelegationMessage> of(StoredMessage message) {
    @Nullable UUID sender = message.senderId();
    return message.delegationId() == null || message.messageId() == null || sender == null
        ? Optional.empty()
        : Optional.of(
            new DelegationMessage(
                message.delegationId(), sender, message.key().workspaceId(), message.messageId()));
  }
}

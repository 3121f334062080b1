package dev.muster.message;

import java.time.Duration;
import java.util.UUID;

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
}

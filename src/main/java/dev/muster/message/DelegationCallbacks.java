package dev.muster.message;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Informs the delegation ledger about the outcomes of delegation messages. */
public interface DelegationCallbacks {

  /**
   * Returns the time left for a message, or empty if it is no longer needed. The time is zero or
   * negative after the deadline.
   */
  Optional<Duration> remainingTime(DelegationMessage message);

  /**
   * Ends the delegations of these messages. Runs in the transaction that ends the messages, before
   * any feed is locked. Ignores messages that belong to no delegation.
   */
  void complete(List<DelegationMessageOutcome> outcomes);

  /**
   * Returns the open delegation that the callee's message to the caller replies to, if any.
   *
   * @param delegationOrMessageId the id of the delegation, or of a message sent for it
   */
  Optional<DelegationMessage> findByReply(
      UUID calleeId, UUID callerId, String delegationOrMessageId);

  /**
   * Ends the delegation with the reply, unless it has ended. Runs in the transaction that appends
   * the reply to the caller's feed, before that feed is locked.
   */
  void complete(DelegationMessage message, String reply);
}

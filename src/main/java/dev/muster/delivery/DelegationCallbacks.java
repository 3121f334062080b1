package dev.muster.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Keeps the ledger of delegations, and is told how each of their messages ends. */
public interface DelegationCallbacks {

  /**
   * How long there still is for a message, zero or less when its deadline has passed; empty when it
   * is not wanted any more.
   */
  Optional<Duration> remainingTime(DelegationMessage message);

  /**
   * In the transaction that ends these messages, before any feed is locked: what hangs on them ends
   * too. Those that are none of its own it leaves alone.
   */
  void complete(List<DelegationMessageOutcome> outcomes);

  /** The open delegation that a message of {@code callee} to {@code caller} replies to, if any. */
  Optional<DelegationMessage> findByReply(
      UUID calleeId, UUID callerId, String delegationOrMessageId);

  /**
   * In the transaction that appends the reply to the caller's feed, before that is locked: the
   * delegation ends with it, unless it has ended.
   */
  void complete(DelegationMessage message, String reply);
}

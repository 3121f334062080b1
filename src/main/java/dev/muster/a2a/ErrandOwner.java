package dev.muster.a2a;

import dev.muster.activity.NewActivity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Keeps the ledger of what errands are for, and is told how each of them ends. */
public interface ErrandOwner {

  /** How long there still is for a message that was handed over; empty when nobody wants it. */
  Optional<Duration> timeLeft(Errand errand);

  /**
   * In the transaction that ends these messages, before any feed is locked: what hangs on them ends
   * too. Those that are none of its own it leaves alone.
   *
   * @return rows to be appended in the same transaction
   */
  List<NewActivity> settle(List<ErrandEnd> ends);

  /** The open errand that a message of {@code callee} to {@code caller} replies to, if any. */
  Optional<Errand> repliedTo(UUID calleeId, UUID callerId, String delegationOrMessageId);

  /**
   * In the transaction that appends the reply to the caller's feed, before that is locked: the
   * errand ends with it, unless it has ended.
   */
  void settle(Errand errand, String reply);
}

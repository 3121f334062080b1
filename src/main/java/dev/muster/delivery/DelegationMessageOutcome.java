package dev.muster.delivery;

import dev.muster.protocol.TurnAnswer;

/** What became of a delegation's message. */
public sealed interface DelegationMessageOutcome {

  DelegationMessage message();

  /** The callee has answered. */
  record Answered(DelegationMessage message, TurnAnswer answer)
      implements DelegationMessageOutcome {}

  /** The callee refused it, or said what nobody understands. */
  record Refused(DelegationMessage message, String error) implements DelegationMessageOutcome {}

  /** The callee may have it, and says nothing. */
  record Silent(DelegationMessage message) implements DelegationMessageOutcome {}

  /** The callee did not get it, and will not. */
  record Undelivered(DelegationMessage message, String error) implements DelegationMessageOutcome {}
}

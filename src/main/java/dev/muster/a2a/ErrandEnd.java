package dev.muster.a2a;

import dev.muster.protocol.TurnAnswer;

/** What became of an errand's message. */
public sealed interface ErrandEnd {

  Errand errand();

  /** The callee has answered. */
  record Answered(Errand errand, TurnAnswer answer) implements ErrandEnd {}

  /** The callee refused it, or said what nobody understands. */
  record Refused(Errand errand, String error) implements ErrandEnd {}

  /** The callee may have it, and says nothing. */
  record Silent(Errand errand) implements ErrandEnd {}

  /** The callee did not get it, and will not. */
  record Undelivered(Errand errand, String error) implements ErrandEnd {}
}

package dev.muster.protocol.client;

/** Why a send without a response was not retried. */
public enum SendEndReason {
  ATTEMPTS_USED_UP(""),
  RETRY_BUDGET("the target's retry budget is used up"),
  /** A retry would fail in the same way. */
  NOT_RETRYABLE("not tried again"),
  /** The peer may have received the request, and the policy forbids sending it twice. */
  AMBIGUOUS("it may have arrived, so it was not sent again"),
  INTERRUPTED("interrupted");

  private final String text;

  SendEndReason(String text) {
    this.text = text;
  }

  /** Returns a clause for messages; empty when the number of attempts says it. */
  String text() {
    return text;
  }
}

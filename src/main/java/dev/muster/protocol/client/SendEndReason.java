package dev.muster.protocol.client;

/** Why a send that got no response was not tried again. */
public enum SendEndReason {
  ATTEMPTS_USED_UP(""),
  RETRY_BUDGET("the target's retry budget is used up"),
  /** The failure would come again. */
  NOT_RETRYABLE("not tried again"),
  /** The peer may have got the request, and the policy does not risk to send it twice. */
  AMBIGUOUS("it may have arrived, so it was not sent again"),
  INTERRUPTED("interrupted");

  private final String text;

  SendEndReason(String text) {
    this.text = text;
  }

  /** A clause for people; empty when the number of attempts says it. */
  String text() {
    return text;
  }
}

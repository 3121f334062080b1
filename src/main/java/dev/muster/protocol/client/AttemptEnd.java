package dev.muster.protocol.client;

import java.util.function.Function;

/** How one attempt ended. */
sealed interface AttemptEnd {

  /** With a response, which is the end of the send. */
  record Responded(String word, Function<Effort, A2aResult> result) implements AttemptEnd {}

  /** With what is no answer; it would be none the next time either. */
  static AttemptEnd malformed(int status, String reason) {
    return new Responded("malformed", effort -> new A2aResult.Malformed(status, reason, effort));
  }

  /** With the end of a stream. */
  record StreamOver() implements AttemptEnd {}

  record Failed(Failure failure) implements AttemptEnd {}
}

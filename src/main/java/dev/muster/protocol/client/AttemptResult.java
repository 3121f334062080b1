package dev.muster.protocol.client;

import java.util.function.Function;

/** How one attempt ended. */
sealed interface AttemptResult {

  /** With a response, which is the end of the send. */
  record Responded(String word, Function<SendStats, A2aResult> result) implements AttemptResult {}

  /** With what is no answer; it would be none the next time either. */
  static AttemptResult malformed(int status, String reason) {
    return new Responded("malformed", effort -> new A2aResult.Malformed(status, reason, effort));
  }

  /** With the end of a stream. */
  record StreamOver() implements AttemptResult {}

  record Failed(Failure failure) implements AttemptResult {}
}

package dev.muster.protocol.client;

import dev.muster.protocol.client.A2aResult.SendStats;
import java.util.function.Function;

/** The result of one attempt. */
sealed interface AttemptResult {

  /** A response, which ends the send. */
  record Responded(String word, Function<SendStats, A2aResult> result) implements AttemptResult {}

  /** Returns a malformed response, which is not retried. */
  static AttemptResult malformed(int status, String reason) {
    return new Responded("malformed", stats -> new A2aResult.Malformed(status, reason, stats));
  }

  /** The end of a stream. */
  record StreamOver() implements AttemptResult {}

  record Failed(Failure failure) implements AttemptResult {}
}

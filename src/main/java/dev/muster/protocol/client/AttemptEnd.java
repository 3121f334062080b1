package dev.muster.protocol.client;

import java.util.function.Function;

/** How one attempt ended. */
sealed interface AttemptEnd {

  /** With a response, which is the end of the send. */
  record Responded(String word, Function<Effort, A2aResult> result) implements AttemptEnd {}

  /** With the end of a stream. */
  record StreamOver() implements AttemptEnd {}

  record Failed(Failure failure) implements AttemptEnd {}
}

package dev.muster.protocol.client;

/** Receives the outcome of each attempt, for metrics. */
@FunctionalInterface
public interface AttemptListener {

  AttemptListener NONE = (target, outcome) -> {};

  /**
   * Called after an attempt has ended.
   *
   * @param outcome {@code answered}, {@code rpc_error}, {@code http_error}, {@code malformed},
   *     {@code streamed}, {@code stream_broken}, or a {@link FailureKind#word}
   */
  void attempted(String target, String outcome);
}

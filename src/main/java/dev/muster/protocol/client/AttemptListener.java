package dev.muster.protocol.client;

/** Hears how each attempt ended, for metrics. */
@FunctionalInterface
public interface AttemptListener {

  AttemptListener NONE = (_, _) -> {};

  /**
   * An attempt is over.
   *
   * @param outcome one of few words: {@code answered}, {@code rpc_error}, {@code http_error},
   *     {@code malformed}, {@code streamed}, {@code stream_broken}, or a {@link FailureKind#word}
   */
  void attempted(String target, String outcome);
}

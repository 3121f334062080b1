package dev.muster.protocol.client;

/** A step that an attempt reports to the waiting sender. */
@SuppressWarnings("ArrayRecordComponent") // not copied, never compared
sealed interface AttemptStep {

  record StreamBegan(int status, String contentType) implements AttemptStep {}

  record StreamBytes(byte[] bytes) implements AttemptStep {}

  record Ended(AttemptResult end) implements AttemptStep {}

  /** The attempt failed by a programming error, not by the network. */
  record Crashed(Throwable bug) implements AttemptStep {}
}

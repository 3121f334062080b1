package dev.muster.protocol.client;

/** What an attempt tells the sender that waits for it. */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
sealed interface AttemptStep {

  record StreamBegan(int status, String contentType) implements AttemptStep {}

  record StreamBytes(byte[] bytes) implements AttemptStep {}

  record Ended(AttemptResult end) implements AttemptStep {}

  /** With what is no failure of the network but a bug. */
  record Crashed(Throwable bug) implements AttemptStep {}
}

package dev.muster.protocol.client;

/** What an attempt tells the sender that waits for it. */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
sealed interface Step {

  record StreamBegan(int status, String contentType) implements Step {}

  record StreamBytes(byte[] bytes) implements Step {}

  record Ended(AttemptEnd end) implements Step {}

  /** With what is no failure of the network but a bug. */
  record Crashed(Throwable bug) implements Step {}
}

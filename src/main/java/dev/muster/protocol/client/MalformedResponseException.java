package dev.muster.protocol.client;

import java.io.IOException;

/** What the peer sent is no response of HTTP; the message is a clause for people. */
final class MalformedResponseException extends IOException {
  private static final long serialVersionUID = 1L;

  MalformedResponseException(String reason) {
    super(reason);
  }

  String reason() {
    return String.valueOf(getMessage());
  }
}

package dev.muster.protocol.client;

import java.io.IOException;

/** Thrown when the peer's data is not HTTP; the message is a readable clause. */
final class MalformedResponseException extends IOException {
  private static final long serialVersionUID = 1L;

  MalformedResponseException(String reason) {
    super(reason);
  }

  String reason() {
    return String.valueOf(getMessage());
  }
}

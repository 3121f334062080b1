package dev.muster.live;

import java.util.Locale;

/** Why a stream ends, with its WebSocket close code (RFC 6455, section 7.4; R10.3, R1.6). */
enum StreamEnd {
  /** The client disconnected, or did not complete the connection. */
  GONE(1000, "goodbye"),
  SHUTDOWN(1001, "the server stops; connect again and continue after the last seq"),
  REVOKED(1008, "the token is no longer valid"),
  /** The client sent more frames than the server accepts. */
  FLOODING(1008, "clients send nothing here but occasional pings"),
  TOO_LARGE(1009, "a message of more than 4 KiB; clients have nothing to send here"),
  /** The client did not read, or did not respond to pings. */
  SLOW(1013, "the client reads too slowly; connect again and go on after the last seq");

  private final int code;
  private final String reason;

  StreamEnd(int code, String reason) {
    this.code = code;
    this.reason = reason;
  }

  int code() {
    return code;
  }

  String reason() {
    return reason;
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}

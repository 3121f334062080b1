package dev.muster.live;

import java.util.Locale;

/** The transports of streams (R10.3, R10.4). */
enum StreamKind {
  WEBSOCKET,
  SSE;

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}

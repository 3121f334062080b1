package dev.muster.live;

import java.time.Duration;
import java.util.Locale;

/** The transports of streams, and how often each is pinged (R10.3, R10.4). */
enum StreamKind {
  WEBSOCKET(Duration.ofSeconds(20)),
  SSE(Duration.ofSeconds(15));

  private final Duration pingInterval;

  StreamKind(Duration pingInterval) {
    this.pingInterval = pingInterval;
  }

  Duration pingInterval() {
    return pingInterval;
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}

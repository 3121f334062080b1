package dev.muster.live;

import dev.muster.platform.work.Pace;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * The times by which a stream shows that it is alive, and ends one whose client is not (R10.3,
 * R10.4, R17.1).
 *
 * @param webSocketPing the interval of the pings of a WebSocket
 * @param ssePing the interval of the pings of server-sent events
 * @param consoleTick how long the stream of a console is quiet before it gets a tick (R17.1)
 * @param recheck the interval of the checks of a stream's credential
 * @param timeout how long a client may accept nothing
 */
@Component
record StreamTimes(
    Duration webSocketPing,
    Duration ssePing,
    Duration consoleTick,
    Duration recheck,
    Duration timeout) {

  @Autowired
  StreamTimes(Pace pace) {
    this(
        pace.of(Duration.ofSeconds(20)),
        pace.of(Duration.ofSeconds(15)),
        pace.of(Duration.ofSeconds(5)),
        pace.of(Duration.ofSeconds(1)),
        pace.of(Duration.ofSeconds(10)));
  }

  Duration ping(StreamKind kind) {
    return switch (kind) {
      case WEBSOCKET -> webSocketPing;
      case SSE -> ssePing;
    };
  }
}

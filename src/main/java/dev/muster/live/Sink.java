package dev.muster.live;

import java.io.IOException;
import java.util.List;

/** Sends frames to the client, over a WebSocket or as server-sent events. */
interface Sink {

  /** Sends frames; returns when the client's side has accepted them, fails when it is gone. */
  void send(List<Frame> frames) throws IOException;

  void ping() throws IOException;

  /** Whether the client has responded to recent pings. */
  boolean isResponsive();

  /** Closes the connection with the reason where possible; nothing is sent afterwards. */
  void close(StreamEnd end);

  /** Ends a blocked {@link #send} from another thread. */
  void abort(StreamEnd end);
}

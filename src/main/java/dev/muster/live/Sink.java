package dev.muster.live;

import java.io.IOException;
import java.util.List;

/** The client's end of a stream: one WebSocket, or one response of server-sent events. */
interface Sink {

  /** Returns when the client's side has taken them; fails when it is gone. */
  void send(List<Frame> frames) throws IOException;

  void ping() throws IOException;

  /** Whether the client has shown, within its time, that it is there. */
  boolean isResponsive();

  /** Says goodbye; nothing is sent afterwards. */
  void close(StreamEnd end);

  /** Ends a {@link #send} that does not return, from another thread. */
  void abort(StreamEnd end);
}

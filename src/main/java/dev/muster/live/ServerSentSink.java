package dev.muster.live;

import jakarta.servlet.AsyncContext;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;

/** One response of server-sent events (R10.4). */
final class ServerSentSink implements Sink {

  private static final String PING = ": ping\n\n";

  private final Framing framing;
  private final AsyncContext response;
  private final OutputStream out;

  ServerSentSink(Framing framing, AsyncContext response) throws IOException {
    this.framing = framing;
    this.response = response;
    this.out = response.getResponse().getOutputStream();
  }

  @Override
  public void send(List<Frame> frames) throws IOException {
    StringBuilder text = new StringBuilder();
    frames.forEach(frame -> text.append(framing.forServerSentEvents(frame)));
    write(text.toString());
  }

  @Override
  public void ping() throws IOException {
    write(PING);
  }

  /** There is no answer to a ping: a client that is gone shows in the next write. */
  @Override
  public boolean isResponsive() {
    return true;
  }

  /** The response has no place for a reason; the client connects again and is told then. */
  @Override
  public void close(StreamEnd end) {
    try {
      response.complete();
    } catch (IllegalStateException completedAlready) {
      // the client hung up, and the container noticed first
    }
  }

  /** Nothing in the servlet API ends a write that waits for the client. */
  @Override
  public void abort(StreamEnd end) {
    ServletContextRequest.getServletContextRequest(response.getRequest())
        .getConnectionMetaData()
        .getConnection()
        .getEndPoint()
        .close();
  }

  private void write(String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}

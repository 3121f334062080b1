package dev.muster.live;

import jakarta.servlet.AsyncContext;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.jspecify.annotations.Nullable;

/** One response of server-sent events (R10.4). */
final class ServerSentSink implements Sink {

  private static final String PING = ": ping\n\n";

  /** How soon a browser comes back after a cut, in milliseconds; and a first sign of life. */
  private static final String OPENING = "retry: 2000\n: connected\n\n";

  private final FrameEncoder framing;
  private volatile @Nullable AsyncContext response;

  ServerSentSink(FrameEncoder framing) {
    this.framing = framing;
  }

  /** The answer begins; it is held from now on. */
  void begin(AsyncContext begun) throws IOException {
    begun.setTimeout(0);
    response = begun;
    write(OPENING);
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
    @Nullable AsyncContext begun = response;
    try {
      if (begun != null) {
        begun.complete();
      }
    } catch (IllegalStateException completedAlready) {
      // the client hung up, and the container noticed first
    }
  }

  /** Nothing in the servlet API ends a write that waits for the client. */
  @Override
  public void abort(StreamEnd end) {
    @Nullable AsyncContext begun = response;
    if (begun != null) {
      ServletContextRequest.getServletContextRequest(begun.getRequest())
          .getConnectionMetaData()
          .getConnection()
          .getEndPoint()
          .close();
    }
  }

  private void write(String text) throws IOException {
    OutputStream out = Objects.requireNonNull(response).getResponse().getOutputStream();
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}

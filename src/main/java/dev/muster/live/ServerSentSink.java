package dev.muster.live;

import jakarta.servlet.AsyncContext;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.jspecify.annotations.Nullable;

/** Writes one response of server-sent events (R10.4). */
final class ServerSentSink implements Sink {

  private static final String PING = ": ping\n\n";

  /** Sets a browser's reconnection delay in ms, and sends a first comment at once. */
  private static final String OPENING = "retry: 2000\n: connected\n\n";

  private final FrameEncoder encoder;
  private volatile @Nullable AsyncContext response;

  ServerSentSink(FrameEncoder encoder) {
    this.encoder = encoder;
  }

  /** Starts the asynchronous response, without a timeout. */
  void begin(AsyncContext begun) throws IOException {
    begun.setTimeout(0);
    response = begun;
    write(OPENING);
  }

  @Override
  public void send(List<Frame> frames) throws IOException {
    StringBuilder text = new StringBuilder();
    frames.forEach(frame -> text.append(encoder.forServerSentEvents(frame)));
    write(text.toString());
  }

  @Override
  public void ping() throws IOException {
    write(PING);
  }

  /** Always true: clients do not respond to pings, so a lost client shows as a failed write. */
  @Override
  public boolean isResponsive() {
    return true;
  }

  /**
   * Ends the response without the reason, which this format cannot carry. The client learns it when
   * it reconnects.
   */
  @Override
  public void close(StreamEnd end) {
    @Nullable AsyncContext begun = response;
    try {
      if (begun != null) {
        begun.complete();
      }
    } catch (IllegalStateException completedAlready) {
      // the container has completed it, since the client disconnected
    }
  }

  /** Closes the connection, because the servlet API cannot end a blocked write. */
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

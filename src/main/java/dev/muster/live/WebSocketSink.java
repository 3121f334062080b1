package dev.muster.live;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.jspecify.annotations.Nullable;

/**
 * Sends frames over one WebSocket (R10.3). It counts and ignores what the client sends. When the
 * client sends too much, it stops reading and ends the stream. Public only because the container
 * calls it by reflection.
 */
public final class WebSocketSink implements Sink, Session.Listener {

  /** The most bytes of one client message; the server uses none of its content. */
  private static final int MAX_MESSAGE_BYTES = 4 * 1024;

  /** Well above the pongs and pings of a normal client, per {@link #PERIOD}. */
  private static final int MAX_FRAMES_IN_A_PERIOD = 100;

  private static final Duration PERIOD = Duration.ofSeconds(10);

  private static final int MAX_UNANSWERED_PINGS = 3;

  /** Time for a client to read its backlog and the close frame after it. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

  /** Time to read the close frame, for a client whose frames are no longer read. */
  private static final Duration SHORT_CLOSE_TIMEOUT = Duration.ofSeconds(1);

  private final Function<List<Frame>, List<String>> encoder;
  private volatile @Nullable EventStream stream;
  private volatile @Nullable Session session;
  private List<Frame> greeting = List.of();
  private final AtomicInteger unansweredPings = new AtomicInteger();

  /** Accessed only by the thread that handles frames, as are the next two fields. */
  private long periodBeganAt = System.nanoTime();

  private int framesInPeriod;
  private long messageBytes;

  /** Creates a sink; the encoder turns frames into messages for the client. */
  WebSocketSink(Function<List<Frame>, List<String>> encoder) {
    this.encoder = encoder;
  }

  /** Sets the stream to start after the handshake, and the frames it sends first. */
  void serve(EventStream served, List<Frame> first) {
    greeting = first;
    stream = served;
  }

  @Override
  public void onWebSocketOpen(Session opened) {
    // pings detect a lost client, so no idle timeout is needed
    opened.setIdleTimeout(Duration.ZERO);
    session = opened;
    Objects.requireNonNull(stream).start(greeting);
    opened.demand();
  }

  /** Handles every frame; no callback receives whole messages. */
  @Override
  public void onWebSocketFrame(org.eclipse.jetty.websocket.api.Frame frame, Callback callback) {
    Session open = Objects.requireNonNull(session);
    if (isOneTooMany()) {
      callback.succeed();
      Objects.requireNonNull(stream).end(StreamEnd.FLOODING);
      return;
    }
    switch (frame.getType()) {
      case PING ->
          open.sendPong(
              frame.getPayload(),
              Callback.from(() -> readOn(callback), failed -> callback.succeed()));
      case CLOSE -> callback.succeed();
      case PONG -> {
        unansweredPings.set(0);
        readOn(callback);
      }
      case TEXT, BINARY, CONTINUATION -> {
        unansweredPings.set(0);
        messageBytes += frame.getPayloadLength();
        if (messageBytes > MAX_MESSAGE_BYTES) {
          callback.succeed();
          Objects.requireNonNull(stream).end(StreamEnd.TOO_LARGE);
          return;
        }
        messageBytes = frame.isFin() ? 0 : messageBytes;
        readOn(callback);
      }
    }
  }

  private void readOn(Callback callback) {
    callback.succeed();
    Objects.requireNonNull(session).demand();
  }

  private boolean isOneTooMany() {
    long now = System.nanoTime();
    if (now - periodBeganAt > PERIOD.toNanos()) {
      periodBeganAt = now;
      framesInPeriod = 0;
    }
    framesInPeriod++;
    return framesInPeriod > MAX_FRAMES_IN_A_PERIOD;
  }

  @Override
  public void onWebSocketError(Throwable cause) {
    Objects.requireNonNull(stream).end(StreamEnd.GONE);
  }

  @Override
  public void onWebSocketClose(int statusCode, @Nullable String reason, Callback callback) {
    callback.succeed();
    Objects.requireNonNull(stream).end(StreamEnd.GONE);
  }

  @Override
  public void send(List<Frame> frames) throws IOException {
    Session open = open();
    CompletableFuture<?>[] sent =
        encoder.apply(frames).stream()
            .map(text -> Callback.Completable.with(done -> open.sendText(text, done)))
            .toArray(CompletableFuture<?>[]::new);
    await(CompletableFuture.allOf(sent));
  }

  @Override
  public void ping() throws IOException {
    Session open = open();
    unansweredPings.incrementAndGet();
    await(Callback.Completable.with(done -> open.sendPing(ByteBuffer.allocate(0), done)));
  }

  @Override
  public boolean isResponsive() {
    return unansweredPings.get() < MAX_UNANSWERED_PINGS;
  }

  @Override
  public void close(StreamEnd end) {
    @Nullable Session open = session;
    if (open != null) {
      open.close(end.code(), end.reason(), Callback.NOOP);
      Duration timeout =
          end == StreamEnd.FLOODING || end == StreamEnd.TOO_LARGE
              ? SHORT_CLOSE_TIMEOUT
              : CLOSE_TIMEOUT;
      CompletableFuture.delayedExecutor(timeout.toMillis(), TimeUnit.MILLISECONDS)
          .execute(open::disconnect);
    }
  }

  /**
   * Closes the WebSocket. A close frame would follow the frames in transmission. A revoked token
   * must not receive those, so it is disconnected at once.
   */
  @Override
  public void abort(StreamEnd end) {
    @Nullable Session open = session;
    if (end == StreamEnd.REVOKED && open != null) {
      open.disconnect();
    } else {
      close(end);
    }
  }

  private Session open() throws IOException {
    @Nullable Session open = session;
    if (open == null || !open.isOpen()) {
      throw new IOException("the WebSocket is closed");
    }
    return open;
  }

  private static void await(CompletableFuture<?> sent) throws IOException {
    try {
      sent.join();
    } catch (CompletionException | CancellationException e) {
      throw new IOException("the WebSocket cannot be written to", e);
    }
  }
}

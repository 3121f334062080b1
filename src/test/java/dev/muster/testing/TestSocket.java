package dev.muster.testing;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A WebSocket client that keeps every frame. */
public final class TestSocket implements AutoCloseable {

  /** A handshake that the server refused. */
  public static final class Refused extends RuntimeException {

    private final int status;

    Refused(int status) {
      super("the handshake was answered " + status);
      this.status = status;
    }

    public int status() {
      return status;
    }
  }

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

  private final List<JsonNode> frames = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Integer> closed = new CompletableFuture<>();
  private final CompletableFuture<Boolean> pinged = new CompletableFuture<>();
  private final WebSocket socket;

  private TestSocket(String url, List<String> headers, List<String> protocols) {
    WebSocket.Builder builder = HTTP.newWebSocketBuilder();
    for (int i = 0; i < headers.size(); i += 2) {
      builder.header(headers.get(i), headers.get(i + 1));
    }
    if (!protocols.isEmpty()) {
      builder.subprotocols(
          protocols.getFirst(), protocols.subList(1, protocols.size()).toArray(String[]::new));
    }
    try {
      socket = builder.buildAsync(URI.create(url), new Listener()).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof WebSocketHandshakeException handshake) {
        throw new Refused(handshake.getResponse().statusCode());
      }
      throw e;
    }
  }

  /**
   * Sends the token in {@code Authorization}; {@code path} is {@code /ws}, perhaps with a query.
   */
  public static TestSocket open(TestClient server, String path, @Nullable String token) {
    List<String> headers = token == null ? List.of() : List.of("Authorization", "Bearer " + token);
    return open(server, path, headers, List.of());
  }

  /** {@code headers} are alternating names and values. */
  public static TestSocket open(
      TestClient server, String path, List<String> headers, List<String> protocols) {
    return new TestSocket(server.baseUrl().replaceFirst("^http", "ws") + path, headers, protocols);
  }

  public String protocol() {
    return socket.getSubprotocol();
  }

  public List<JsonNode> frames() {
    return List.copyOf(frames);
  }

  /** The numbers of the recorded events among the frames. */
  public List<Long> seqs() {
    return frames.stream().filter(f -> f.has("seq")).map(f -> f.path("seq").asLong()).toList();
  }

  /** Waits for a matching frame and returns the first one. */
  public JsonNode await(Predicate<JsonNode> fits) {
    return Awaitility.await()
        .pollInterval(Duration.ofMillis(5))
        .until(() -> frames.stream().filter(fits).findFirst(), java.util.Optional::isPresent)
        .orElseThrow();
  }

  public JsonNode await(String event) {
    return await(frame -> frame.path("event").asString().equals(event));
  }

  public void send(String text) {
    socket.sendText(text, true).join();
  }

  public void ping() {
    socket.sendPing(ByteBuffer.allocate(0)).join();
  }

  /** Returns whether the server sends a ping within that time. */
  public boolean awaitPing(Duration timeout) {
    return pinged.completeOnTimeout(false, timeout.toMillis(), TimeUnit.MILLISECONDS).join();
  }

  /** Returns the close code; 1006 when the connection broke. */
  public int awaitClose(Duration timeout) throws Exception {
    return closed.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Closes the connection without a close frame. */
  public void hangUp() {
    socket.abort();
  }

  @Override
  public void close() {
    hangUp();
  }

  private final class Listener implements WebSocket.Listener {

    private final StringBuilder text = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        frames.add(JSON.readTree(text.toString()));
        text.setLength(0);
      }
      from.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onPing(WebSocket from, ByteBuffer message) {
      pinged.complete(true);
      from.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
      closed.complete(code);
      return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
      closed.complete(1006);
    }
  }
}

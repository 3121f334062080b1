package dev.muster.message.send;

import dev.muster.identity.CredentialRecheck;
import dev.muster.message.flow.JsonRpc;
import dev.muster.message.store.ProxyResponse;
import dev.muster.platform.http.ProblemMapper;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.work.Pace;
import dev.muster.protocol.client.StreamSink;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Passes an agent's stream to the client as it arrives (R7.9). The delivery does not depend on the
 * client. A client that disconnects, or takes nothing for 10 s, gets no more of the stream.
 *
 * <p>A stream that does not reach its end never looks complete: its last event is a JSON-RPC error,
 * and the connection is cut.
 */
final class StreamingResponse implements StreamSink {

  /** The number of pieces in the buffer, each of at most 8 KiB. */
  private static final int MAX_WAITING = 16;

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);

  /** The type of event streams, always UTF-8; parameters from the agent are ignored. */
  private static final String CONTENT_TYPE = "text/event-stream;charset=utf-8";

  /** Marks the end; pieces from an agent are never empty. */
  private static final byte[] END = {};

  /** Ends a line and an event, so that the next event begins; does nothing between events. */
  private static final byte[] END_OF_EVENT = {'\n', '\n'};

  private final BlockingQueue<byte[]> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final CompletableFuture<@Nullable Integer> head = new CompletableFuture<>();
  private final CredentialRecheck recheck;
  private final @Nullable JsonNode rpcId;
  private final Duration timeout;
  private long lookedAt = System.nanoTime();
  private volatile Map<String, String> passedBack = Map.of();
  private volatile boolean abandoned;

  /** Why the delivery did not bring the whole stream, as a problem detail; null if it did. */
  private volatile @Nullable JsonNode problem;

  private volatile boolean isOver;

  /**
   * Creates the response.
   *
   * @param recheck rechecks the client's credential while the stream lasts (R1.6)
   * @param rpcId the id of the client's JSON-RPC request; null if it has none
   */
  StreamingResponse(CredentialRecheck recheck, @Nullable JsonNode rpcId, Pace pace) {
    this.recheck = recheck;
    this.rpcId = rpcId;
    this.timeout = pace.of(TIMEOUT);
  }

  @Override
  public void begin(int status, String contentType, Map<String, String> headers) {
    passedBack = headers;
    head.complete(status);
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    try {
      if (abandoned || !waiting.offer(bytes, timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        abandoned = true;
        throw new IOException("the client does not read the stream");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /**
   * Reports that the delivery has ended, with or without a stream.
   *
   * @param response the stored response, which is a stream if the whole stream arrived
   */
  void end(@Nullable ProxyResponse response, @Nullable Throwable failure) {
    if (head.complete(null)) {
      return; // the response is no stream
    }
    if (failure != null) {
      problem = problemOf(failure);
    } else if (response != null && !response.isStream()) {
      problem = LosslessJson.parse(response.body());
    }
    isOver = true;
    boolean _ = waiting.offer(END); // next() sees isOver once it has emptied a full buffer
  }

  private static JsonNode problemOf(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException wrapped && wrapped.getCause() != null
            ? wrapped.getCause()
            : failure;
    return JsonMapper.shared().valueToTree(ProblemMapper.problemOf(cause).body(null));
  }

  /**
   * Writes the stream on the request's thread until it ends. Returns false when there is no stream,
   * since the response has another form. A client whose credential is revoked is refused, or its
   * stream is cut.
   *
   * @throws IOException also when the stream ends early, to cut the connection
   */
  boolean writeTo(HttpServletRequest request, HttpServletResponse response) throws IOException {
    @Nullable Integer begun = head.join();
    if (begun == null) {
      return false;
    }
    try {
      recheck.requireValid();
      begin(request, response, begun);
      OutputStream out = response.getOutputStream();
      @Nullable JsonNode cause = pass(out);
      if (cause != null) {
        throw cut(out, cause);
      }
    } finally {
      abandoned = true;
      waiting.clear();
    }
    return true;
  }

  private void begin(HttpServletRequest request, HttpServletResponse response, int status)
      throws IOException {
    response.setStatus(status);
    response.setContentType(CONTENT_TYPE);
    passedBack.forEach(response::setHeader);
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Accel-Buffering", "no");
    if (request.getProtocol().equals("HTTP/1.1")) {
      // Otherwise a connection that ends after this response has no chunks, and a cut looks like
      // the end.
      response.setHeader("Transfer-Encoding", "chunked");
    }
    response.flushBuffer();
  }

  /** Passes on all pieces. Returns why the stream ends early, as a problem; null at its end. */
  private @Nullable JsonNode pass(OutputStream out) throws IOException {
    try {
      for (byte @Nullable [] next = next(); next != null; next = next()) {
        out.write(next);
        out.flush();
      }
      return abandoned
          ? problemOf(
              ProblemException.unavailable(
                  "the client did not read the stream for "
                      + TIMEOUT.toSeconds()
                      + " s, so the rest was not passed on"))
          : problem;
    } catch (ProblemException revoked) {
      return problemOf(revoked);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return problemOf(ProblemException.unavailable("the server is shutting down"));
    }
  }

  /** Tells the client why the stream ends early, and returns what cuts the connection. */
  private IOException cut(OutputStream out, JsonNode cause) throws IOException {
    String text = cause.path("error").asString("");
    if (rpcId != null) {
      out.write(END_OF_EVENT);
      out.write(
          JsonRpc.event(
              LosslessJson.write(
                  JsonRpc.error(
                      rpcId,
                      JsonRpc.INTERNAL_ERROR,
                      "the stream ended before it was complete: " + text,
                      cause))));
      out.flush();
    }
    return new IOException("an agent's stream ended early: " + text);
  }

  /** Returns the next piece; null at the end, or when the client has missed a piece. */
  private byte @Nullable [] next() throws InterruptedException {
    while (true) {
      boolean wasLast = isOver || abandoned; // read first: nothing is added afterwards
      byte @Nullable [] next = waiting.poll(1, TimeUnit.SECONDS);
      requireValid();
      if (next == null ? wasLast : next.length == 0) {
        return null;
      }
      if (next != null) {
        return next;
      }
    }
  }

  /** Refuses a revoked credential; checks at most once a second. */
  private void requireValid() {
    if (System.nanoTime() - lookedAt < LOOK_INTERVAL.toNanos()) {
      return;
    }
    lookedAt = System.nanoTime();
    if (recheck.check() == CredentialRecheck.Result.REVOKED) {
      recheck.requireValid();
    }
  }
}

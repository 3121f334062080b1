package dev.muster.a2a;

import dev.muster.identity.CredentialRecheck;
import dev.muster.protocol.client.StreamSink;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Hands an agent's stream to the client who asked for it, as it comes (R7.9). The delivery does not
 * depend on the client: one that is gone, or too slow for a while, is left behind.
 */
final class StreamingResponse implements StreamSink {

  /** In pieces of at most 8 KiB. */
  private static final int MAX_WAITING = 16;

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);

  /** Of events, which are always UTF-8; an agent may send any parameters of its own. */
  private static final String CONTENT_TYPE = "text/event-stream;charset=utf-8";

  /** No agent sends nothing. */
  private static final byte[] END = {};

  private final BlockingQueue<byte[]> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final CompletableFuture<@Nullable Integer> head = new CompletableFuture<>();
  private final CredentialRecheck standing;
  private long lookedAt = System.nanoTime();
  private volatile boolean abandoned;
  private volatile boolean isOver;

  /** {@code standing} is the client's, for as long as the stream lasts (R1.6). */
  StreamingResponse(CredentialRecheck standing) {
    this.standing = standing;
  }

  @Override
  public void begin(int status, String contentType) {
    head.complete(status);
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    try {
      if (abandoned || !waiting.offer(bytes, TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        abandoned = true;
        throw new IOException("the client does not take the stream");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** The delivery is over, whether or not it ever was a stream. */
  void end() {
    isOver = true;
    if (!head.complete(null)) {
      // a full queue is noticed without it
      boolean _ = waiting.offer(END);
    }
  }

  /**
   * Writes the stream on the request's thread, until its end; false when there is none, since the
   * message was answered otherwise. A client that is not good any more is refused, or gets no more.
   */
  boolean writeTo(HttpServletResponse response) throws IOException {
    @Nullable Integer begun = head.join();
    if (begun == null) {
      return false;
    }
    try {
      standing.requireValid();
      writeTo(response, begun);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      abandoned = true;
      waiting.clear();
    }
    return true;
  }

  private void writeTo(HttpServletResponse response, int status)
      throws IOException, InterruptedException {
    response.setStatus(status);
    response.setContentType(CONTENT_TYPE);
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Accel-Buffering", "no");
    OutputStream out = response.getOutputStream();
    response.flushBuffer();
    for (byte @Nullable [] next = next(); next != null; next = next()) {
      out.write(next);
      out.flush();
    }
  }

  /** Null when all is written, or no more may be. */
  private byte @Nullable [] next() throws InterruptedException {
    while (true) {
      byte @Nullable [] next = waiting.poll(1, TimeUnit.SECONDS);
      if (isRevoked() || (next == null ? isOver : next.length == 0)) {
        return null;
      }
      if (next != null) {
        return next;
      }
    }
  }

  /** Looks once a second. */
  private boolean isRevoked() {
    if (System.nanoTime() - lookedAt < LOOK_INTERVAL.toNanos()) {
      return false;
    }
    lookedAt = System.nanoTime();
    return standing.check() == CredentialRecheck.Result.REVOKED;
  }
}

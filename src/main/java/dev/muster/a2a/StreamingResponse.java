package dev.muster.a2a;

import dev.muster.identity.CredentialRecheck;
import dev.muster.platform.pace.Pace;
import dev.muster.protocol.client.StreamSink;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Passes an agent's stream to the client as it arrives (R7.9). The delivery does not depend on the
 * client. A client that disconnects, or takes nothing for 10 s, gets no more of the stream.
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

  private final BlockingQueue<byte[]> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final CompletableFuture<@Nullable Integer> head = new CompletableFuture<>();
  private final CredentialRecheck recheck;
  private final Duration timeout;
  private long lookedAt = System.nanoTime();
  private volatile Map<String, String> passedBack = Map.of();
  private volatile boolean abandoned;
  private volatile boolean isOver;

  /** {@code recheck} rechecks the client's credential while the stream lasts (R1.6). */
  StreamingResponse(CredentialRecheck recheck, Pace pace) {
    this.recheck = recheck;
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

  /** Reports that the delivery has ended, with or without a stream. */
  void end() {
    isOver = true;
    if (!head.complete(null)) {
      // next() sees isOver once it has emptied a full buffer
      boolean _ = waiting.offer(END);
    }
  }

  /**
   * Writes the stream on the request's thread until it ends. Returns false when there is no stream,
   * since the response has another form. A client whose credential is revoked is refused, or its
   * stream ends.
   */
  boolean writeTo(HttpServletResponse response) throws IOException {
    @Nullable Integer begun = head.join();
    if (begun == null) {
      return false;
    }
    try {
      recheck.requireValid();
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
    passedBack.forEach(response::setHeader);
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Accel-Buffering", "no");
    OutputStream out = response.getOutputStream();
    response.flushBuffer();
    for (byte @Nullable [] next = next(); next != null; next = next()) {
      out.write(next);
      out.flush();
    }
  }

  /** Returns the next piece; null at the end or when the credential is revoked. */
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

  /** Whether the credential is revoked; checked at most once a second. */
  private boolean isRevoked() {
    if (System.nanoTime() - lookedAt < LOOK_INTERVAL.toNanos()) {
      return false;
    }
    lookedAt = System.nanoTime();
    return recheck.check() == CredentialRecheck.Result.REVOKED;
  }
}

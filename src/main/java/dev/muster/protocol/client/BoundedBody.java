package dev.muster.protocol.client;

import dev.muster.protocol.client.Failure.AttemptPhase;
import dev.muster.protocol.client.ResponseRate.ResponseTooSlowException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Arrays;
import okhttp3.ResponseBody;
import okio.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Reads a whole body and allocates memory only as data arrives.
 *
 * <p>The declared length is not trusted. Once it takes counted memory, the peer must keep the
 * required rate.
 */
final class BoundedBody {

  private static final int BEGINNING = 8 * 1024;

  private final HttpAttempt attempt;
  private final ResponseBody body;
  private final InputStream in;
  private final Timeout timeout;
  private @Nullable ResponseRate pace;

  BoundedBody(HttpAttempt attempt, ResponseBody body) {
    this.attempt = attempt;
    this.body = body;
    this.in = body.byteStream();
    this.timeout = body.source().timeout();
  }

  /** Returns the body; one that exceeds {@code most} bytes is cut to {@code most + 1}. */
  byte[] read(int most) throws IOException {
    long declared = body.contentLength();
    int end = declared < 0 ? most + 1 : (int) Math.min(declared, most + 1L);
    byte[] buffer = new byte[Math.min(end, BEGINNING)];
    int length = fill(buffer, 0);
    while (length == buffer.length && length < end) {
      int larger = (int) Math.min(end, 2L * buffer.length);
      reserve(counted(larger) - counted(buffer.length));
      buffer = Arrays.copyOf(buffer, larger);
      length = fill(buffer, length);
    }
    return length == buffer.length ? buffer : Arrays.copyOf(buffer, length);
  }

  /** Fills the buffer and returns its length, which is smaller only at the end of the body. */
  private int fill(byte[] buffer, int from) throws IOException {
    int length = from;
    while (length < buffer.length) {
      int n = read(buffer, length);
      if (n < 0) {
        return length;
      }
      length += n;
    }
    return length;
  }

  private int read(byte[] buffer, int from) throws IOException {
    if (pace == null) {
      return in.read(buffer, from, buffer.length - from);
    }
    timeout.deadlineNanoTime(pace.dueAt());
    try {
      int n = in.read(buffer, from, buffer.length - from);
      pace.came(Math.max(0, n));
      return n;
    } catch (InterruptedIOException e) {
      throw pace.isOver() ? new ResponseTooSlowException() : e;
    }
  }

  private static long counted(int bytes) {
    return Math.max(0, bytes - ResponseMemoryBudget.FREE);
  }

  private void reserve(long bytes) throws InterruptedIOException {
    if (bytes == 0) {
      return;
    }
    attempt.reach(AttemptPhase.WAITING_FOR_MEMORY);
    long since = System.nanoTime();
    attempt.space().take(bytes, attempt.deadline());
    if (pace == null) {
      pace = attempt.space().pace();
    } else {
      pace.waited(System.nanoTime() - since);
    }
    attempt.reach(AttemptPhase.READING);
  }
}

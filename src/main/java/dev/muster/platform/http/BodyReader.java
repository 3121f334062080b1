package dev.muster.platform.http;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.springframework.stereotype.Component;

/** Reads a request's body whole, up to its route's limit and within the budget of all (R0.7). */
@Component
public final class BodyReader {

  public static final int KIB = 1024;

  /** The limit of every route that names none. */
  public static final int DEFAULT_LIMIT = 256 * KIB;

  /** The attribute under which a request's share of the budget is kept until the request ends. */
  static final String SHARE = BodyReader.class.getName() + ".share";

  /** What is read and thrown away so that a client that is still sending gets to read its 413. */
  private static final int DRAINED_AT_MOST = 32 << 20;

  private static final int CHUNK = 16 * KIB;

  /** Every read is bounded by the connection's idle time-out, and all of them together by this. */
  private static final Duration LONGEST_READ = Duration.ofSeconds(30);

  private final BodyBudget budget;

  BodyReader(BodyBudget budget) {
    this.budget = budget;
  }

  /**
   * Refuses with {@code BODY_TOO_LARGE}, or {@code UNAVAILABLE} when too many bodies are in flight.
   */
  public byte[] read(HttpServletRequest request, int maxBytes) throws IOException {
    InputStream body = request.getInputStream();
    long declared = request.getContentLengthLong();
    if (declared > maxBytes) {
      throw tooLarge(body, maxBytes);
    }
    long giveUpAt = System.nanoTime() + LONGEST_READ.toNanos();
    byte[] buffer = new byte[declared >= 0 ? (int) declared : CHUNK];
    reserve(request, buffer.length);
    int length = 0;
    for (int n = read(body, buffer, length); n >= 0; n = read(body, buffer, length)) {
      length += n;
      if (length > maxBytes) {
        throw tooLarge(body, maxBytes);
      }
      if (length == declared) {
        return buffer;
      }
      if (System.nanoTime() > giveUpAt) {
        throw tooSlow();
      }
      if (length == buffer.length) {
        reserve(request, buffer.length);
        buffer = Arrays.copyOf(buffer, 2 * buffer.length);
      }
    }
    return Arrays.copyOf(buffer, length);
  }

  private static int read(InputStream body, byte[] buffer, int from) {
    try {
      return buffer.length == 0 ? -1 : body.read(buffer, from, buffer.length - from);
    } catch (IOException e) {
      throw e.getCause() instanceof TimeoutException ? tooSlow() : cutShort();
    }
  }

  private void reserve(HttpServletRequest request, long bytes) {
    budget.take(bytes);
    long before = request.getAttribute(SHARE) instanceof Long share ? share : 0;
    request.setAttribute(SHARE, before + bytes);
  }

  /** Ends the share of a request that is over. */
  void release(HttpServletRequest request) {
    if (request.getAttribute(SHARE) instanceof Long share) {
      request.removeAttribute(SHARE);
      budget.giveBack(share);
    }
  }

  private static ProblemException cutShort() {
    return new ProblemException(
        ErrorCode.BAD_REQUEST, "the body ended before its end (expected: all of Content-Length)");
  }

  private static ProblemException tooSlow() {
    return new ProblemException(
        ErrorCode.REQUEST_TIMEOUT,
        "the body came too slowly (expected: within " + LONGEST_READ.toSeconds() + " s)");
  }

  private static ProblemException tooLarge(InputStream body, int maxBytes) throws IOException {
    byte[] thrownAway = new byte[CHUNK];
    int drained = 0;
    for (int n = body.read(thrownAway);
        n >= 0 && drained < DRAINED_AT_MOST;
        n = body.read(thrownAway)) {
      drained += n;
    }
    return new ProblemException(
        ErrorCode.BODY_TOO_LARGE,
        "the body is larger than " + maxBytes + " bytes",
        Map.of("max_bytes", maxBytes));
  }
}

package dev.muster.platform.http;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/** Reads a whole request body within its route's limit and the memory budget (R0.7). */
@Component
public final class BodyReader {

  public static final int KIB = 1024;

  /** The limit in bytes of every route that sets none. */
  public static final int DEFAULT_LIMIT = 256 * KIB;

  /** The request attribute that holds its share of the budget. */
  private static final String SHARE = BodyReader.class.getName() + ".share";

  private static final int CHUNK = 16 * KIB;

  /** The bytes allocated before any of the body arrives, whatever length is declared. */
  private static final int FIRST_PIECE = 4 * KIB;

  /** Larger arrays take whole regions of the heap each, and are freed late. */
  private static final int MAX_PIECE = 256 * KIB;

  /**
   * Bounds all reads of a body together; the connection's idle time-out bounds each single read.
   */
  private static final Duration MAX_READ = Duration.ofSeconds(30);

  /**
   * Bounds the drain of a body that is too large.
   *
   * <p>A client that is still sending can finish and read its 413; then the connection is closed.
   */
  private static final Duration MAX_DRAIN_TIME = Duration.ofSeconds(2);

  private static final int MAX_DRAINED_BYTES = 32 << 20;
  private static final long DRAIN_PAUSE_NANOS = 5_000_000;

  private final BodyBudget budget;

  BodyReader(BodyBudget budget) {
    this.budget = budget;
  }

  /**
   * Reads the body; empty if there is none.
   *
   * <p>Refuses with {@code UNSUPPORTED_ENCODING}, {@code BODY_TOO_LARGE}, or with {@code
   * UNAVAILABLE} when the budget of all bodies or of the request's owner is used up. Memory is
   * reserved as the bytes arrive. The request's deadline does not count the time of this read, so a
   * slow sender does not exceed it.
   */
  public byte[] read(HttpServletRequest request, int maxBytes) throws IOException {
    long declared = request.getContentLengthLong();
    if (declared == 0) {
      return new byte[0];
    }
    if (isEncoded(request)) {
      throw encoded(request);
    }
    if (declared > maxBytes) {
      throw tooLarge(request, maxBytes);
    }
    BodyBudget.Share share = shareOf(request);
    try {
      return RequestDeadline.notCounting(() -> read(request, maxBytes, declared, share));
    } finally {
      share.endArrival();
    }
  }

  private static byte[] read(
      HttpServletRequest request, int maxBytes, long declared, BodyBudget.Share share)
      throws IOException {
    InputStream body = request.getInputStream();
    // one byte more than allowed detects a body that is too large
    int mostBytes = declared >= 0 ? (int) declared : maxBytes + 1;
    List<byte[]> pieces = new ArrayList<>();
    byte[] piece = new byte[Math.min(mostBytes, FIRST_PIECE)];
    pieces.add(piece);
    int reserved = piece.length;
    share.resize(reserved);
    long giveUpAt = System.nanoTime() + MAX_READ.toNanos();
    int length = 0;
    int inPiece = 0;
    for (int n = read(body, piece, inPiece); n >= 0; n = read(body, piece, inPiece)) {
      length += n;
      inPiece += n;
      if (length > maxBytes) {
        throw tooLarge(request, maxBytes);
      }
      if (length == declared) {
        break;
      }
      if (System.nanoTime() > giveUpAt) {
        throw tooSlow();
      }
      if (inPiece == piece.length) {
        int next = Math.min(mostBytes - length, Math.clamp(length, CHUNK, MAX_PIECE));
        share.resize((long) reserved + next);
        reserved += next;
        piece = new byte[next];
        pieces.add(piece);
        inPiece = 0;
      }
      share.beginArrival();
    }
    share.resize((long) reserved + length);
    byte[] whole = joined(pieces, length);
    share.resize(length);
    return whole;
  }

  private static byte[] joined(List<byte[]> pieces, int length) {
    if (pieces.size() == 1 && pieces.getFirst().length == length) {
      return pieces.getFirst();
    }
    byte[] whole = new byte[length];
    int at = 0;
    for (byte[] piece : pieces) {
      int part = Math.min(piece.length, length - at);
      System.arraycopy(piece, 0, whole, at, part);
      at += part;
    }
    return whole;
  }

  private static int read(InputStream body, byte[] buffer, int from) {
    try {
      return body.read(buffer, from, buffer.length - from);
    } catch (IOException e) {
      throw e.getCause() instanceof TimeoutException ? tooSlow() : truncatedBody();
    }
  }

  private BodyBudget.Share shareOf(HttpServletRequest request) {
    if (request.getAttribute(SHARE) instanceof BodyBudget.Share share) {
      return share;
    }
    BodyBudget.Share share = budget.open(RequestOwner.of(request));
    request.setAttribute(SHARE, share);
    RequestResources.of(request).onEnd(share::release);
    return share;
  }

  private static ProblemException truncatedBody() {
    return new ProblemException(
        ErrorCode.BAD_REQUEST, "the body ended before its end (expected: all of Content-Length)");
  }

  private static ProblemException tooSlow() {
    return new ProblemException(
        ErrorCode.REQUEST_TIMEOUT,
        "the body came too slowly (expected: within " + MAX_READ.toSeconds() + " s)");
  }

  private static ProblemException tooLarge(HttpServletRequest request, int maxBytes)
      throws IOException {
    drainUnlessAwaited(request);
    return new ProblemException(
        ErrorCode.BODY_TOO_LARGE,
        "the body is larger than " + maxBytes + " bytes",
        Map.of("max_bytes", maxBytes));
  }

  private static boolean isEncoded(HttpServletRequest request) {
    return Collections.list(request.getHeaders(HttpHeaders.CONTENT_ENCODING)).stream()
        .flatMap(header -> Arrays.stream(header.split(",")))
        .map(String::strip)
        .anyMatch(coding -> !coding.isEmpty() && !coding.equalsIgnoreCase("identity"));
  }

  private static ProblemException encoded(HttpServletRequest request) throws IOException {
    drainUnlessAwaited(request);
    return new ProblemException(
        ErrorCode.UNSUPPORTED_ENCODING,
        "Content-Encoding: the server decodes no body (expected: the body as it is, without this"
            + " header)");
  }

  private static void drainUnlessAwaited(HttpServletRequest request) throws IOException {
    if (request.getHeader(HttpHeaders.EXPECT) == null) {
      drain(request.getInputStream());
    }
  }

  /** Discards available bytes only, because a blocking read could last longer than the limit. */
  private static void drain(ServletInputStream body) throws IOException {
    long giveUpAt = System.nanoTime() + MAX_DRAIN_TIME.toNanos();
    byte[] thrownAway = new byte[CHUNK];
    int drained = 0;
    while (!body.isFinished() && drained < MAX_DRAINED_BYTES && System.nanoTime() < giveUpAt) {
      if (body.available() > 0) {
        drained += Math.max(0, body.read(thrownAway));
      } else {
        LockSupport.parkNanos(DRAIN_PAUSE_NANOS);
      }
    }
  }
}

package dev.muster.platform.http;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.quota.Quota;
import jakarta.servlet.http.HttpServletRequest;
import java.util.function.LongConsumer;
import org.springframework.stereotype.Component;

/**
 * Bounds the memory of large answers, from before they are read out of the database until their
 * clients have taken them: for all requests together by the heap, and for each owner by a quarter
 * of that.
 */
@Component
public final class ResponseMemory {

  /** An answer up to this size is not counted. */
  public static final int FREE_BYTES = 256 * BodyReader.KIB;

  static final long MAX_BYTES = 512L << 20;
  static final int HEAP_DIVISOR = 8;
  static final int OWNER_DIVISOR = 4;

  private final Quota quota;

  ResponseMemory() {
    this(Math.min(MAX_BYTES, Runtime.getRuntime().maxMemory() / HEAP_DIVISOR));
  }

  ResponseMemory(long maxBytes) {
    this.quota = new Quota(maxBytes, maxBytes / OWNER_DIVISOR);
  }

  /**
   * Reserves memory for the answer to a request: told the answer's bytes, about, before that is
   * read; held until the request ends. An answer larger than its owner's share takes the whole
   * share.
   *
   * <p>Refuses with {@code RATE_LIMITED} when the owner's other answers take its share, and with
   * {@code UNAVAILABLE} when those of all requests leave no room. May be told on any thread.
   */
  public LongConsumer of(HttpServletRequest request) {
    Object owner = RequestOwner.of(request);
    RequestResources resources = RequestResources.of(request);
    return bytes -> reserve(owner, resources, bytes);
  }

  private void reserve(Object owner, RequestResources resources, long bytes) {
    if (bytes <= FREE_BYTES) {
      return;
    }
    long amount = Math.min(bytes, quota.ownerLimit());
    switch (quota.take(owner, amount)) {
      case GRANTED -> resources.onEnd(() -> quota.release(owner, amount));
      case OWNER_FULL ->
          throw new ProblemException(
              ErrorCode.RATE_LIMITED,
              "other large answers to this credential are still being read; read those first, or"
                  + " ask for less");
      case FULL ->
          throw ProblemException.unavailable(
              "too many large answers are being read right now; try again in a few seconds");
    }
  }

  long held() {
    return quota.held();
  }
}

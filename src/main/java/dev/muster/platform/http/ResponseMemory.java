package dev.muster.platform.http;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.function.LongConsumer;
import org.springframework.stereotype.Component;

/**
 * Bounds the memory of large responses, in total and per owner.
 *
 * <p>It counts from before the database read until the client has received the response. The total
 * depends on the heap; an owner's share is an eighth of it, so that all shares of one token leave
 * half to others.
 */
@Component
public final class ResponseMemory {

  /** A response of up to this size is not counted. */
  public static final int FREE_BYTES = 256 * BodyReader.KIB;

  static final long MAX_BYTES = 512L << 20;
  static final int HEAP_DIVISOR = 8;
  static final int OWNER_DIVISOR = 2 * Owner.SHARES_OF_A_TOKEN;

  private final Quota quota;

  ResponseMemory() {
    this(Math.min(MAX_BYTES, Runtime.getRuntime().maxMemory() / HEAP_DIVISOR));
  }

  ResponseMemory(long maxBytes) {
    this.quota = new Quota(maxBytes, maxBytes / OWNER_DIVISOR);
  }

  /**
   * Returns a function that reserves memory for the response to a request.
   *
   * <p>The caller passes the approximate size in bytes before the read. The memory is held until
   * the request ends. A response that is larger than its owner's share takes the whole share.
   *
   * <p>The function refuses with {@code RATE_LIMITED} when the owner's other responses use up its
   * share. It refuses with {@code UNAVAILABLE} when the responses of all requests use up the total.
   * It may run on any thread.
   */
  public LongConsumer of(HttpServletRequest request) {
    Owner owner = RequestOwner.of(request);
    RequestResources resources = RequestResources.of(request);
    return bytes -> reserve(owner, resources, bytes);
  }

  private void reserve(Owner owner, RequestResources resources, long bytes) {
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

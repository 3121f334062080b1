package dev.muster.platform.http;

import dev.muster.platform.http.Quota.Grant;
import dev.muster.platform.problem.ProblemException;
import org.springframework.stereotype.Component;

/**
 * Bounds the memory of all request bodies in flight, in total and per owner (R0.7).
 *
 * <p>The first {@link #SMALL_BYTES} of every body come from a separate budget. Small requests are
 * still served when large ones have used up theirs.
 */
@Component
final class BodyBudget {

  static final int SMALL_BYTES = 64 << 10;

  private static final long MAX_BODY_BYTES = 16L << 20;

  /** While its pieces are joined, the body is in memory twice. */
  private static final long MAX_READ_BYTES = 2 * MAX_BODY_BYTES;

  private static final long MAX_BYTES = 512L << 20;

  private static final int SMALL_DIVISOR = 4;

  /** All shares of one token ({@link Owner}) leave half to the heartbeats of others. */
  private static final int SHARES_OF_SMALL = 2 * Owner.SHARES_OF_A_TOKEN;

  private static final int MAX_BODIES_ARRIVING = 8192;
  private static final int MAX_BODIES_ARRIVING_PER_OWNER = 256;

  private final Quota small;
  private final Quota large;
  private final Quota arriving = new Quota(MAX_BODIES_ARRIVING, MAX_BODIES_ARRIVING_PER_OWNER);

  BodyBudget() {
    this(Runtime.getRuntime().maxMemory());
  }

  BodyBudget(long heapBytes) {
    long max = Math.clamp(heapBytes / 8, 2 * MAX_READ_BYTES, MAX_BYTES);
    large = new Quota(max, Math.max(max / 4, MAX_READ_BYTES));
    long small = max / SMALL_DIVISOR;
    this.small = new Quota(small, small / SHARES_OF_SMALL);
  }

  /** The bytes that one request holds; used by one thread at a time. */
  final class Share {

    private final Owner owner;
    private long smallBytes;
    private long largeBytes;
    private boolean arriving;

    private Share(Owner owner) {
      this.owner = owner;
    }

    /**
     * Sets the bytes held, more or fewer than before.
     *
     * <p>Growth is refused with {@code UNAVAILABLE} when the budget or the owner's part of it is
     * used up.
     *
     * @param bytes the new total of this request, 0 or more
     */
    void resize(long bytes) {
      long ofSmall = Math.min(bytes, SMALL_BYTES);
      long ofLarge = bytes - ofSmall;
      if (ofSmall > smallBytes) {
        require(small.take(owner, ofSmall - smallBytes));
      } else if (ofSmall < smallBytes) {
        small.release(owner, smallBytes - ofSmall);
      }
      smallBytes = ofSmall;
      if (ofLarge > largeBytes) {
        require(large.take(owner, ofLarge - largeBytes));
      } else if (ofLarge < largeBytes) {
        large.release(owner, largeBytes - ofLarge);
      }
      largeBytes = ofLarge;
    }

    /**
     * Counts the body as arriving. It has not arrived at once, so it occupies a thread and a
     * connection.
     */
    void beginArrival() {
      if (!arriving) {
        require(BodyBudget.this.arriving.take(owner, 1));
        arriving = true;
      }
    }

    void endArrival() {
      if (arriving) {
        arriving = false;
        BodyBudget.this.arriving.release(owner, 1);
      }
    }

    void release() {
      resize(0);
    }
  }

  Share open(Owner owner) {
    return new Share(owner);
  }

  /** Returns the bytes that all requests hold. */
  long held() {
    return small.held() + large.held();
  }

  /** Returns the number of incomplete bodies. */
  long arriving() {
    return arriving.held();
  }

  private static void require(Grant grant) {
    switch (grant) {
      case GRANTED -> {}
      case OWNER_FULL ->
          throw ProblemException.unavailable(
              "the requests of this credential, or network, that are in flight use up its share of"
                  + " the memory for bodies; send fewer at a time, and again in a few seconds");
      case FULL ->
          throw ProblemException.unavailable(
              "too many large requests are in flight; try again in a few seconds");
    }
  }
}

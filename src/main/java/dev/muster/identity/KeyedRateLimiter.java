package dev.muster.identity;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.muster.platform.http.Owner;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.TimeMeter;
import io.micrometer.core.instrument.Counter;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.http.HttpHeaders;

/**
 * Limits each owner to a number of requests per minute. Its token bucket refills evenly, so a
 * refused caller waits for one token and not for a full minute.
 */
final class KeyedRateLimiter {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** An idle bucket is full after one minute, so eviction after two loses nothing. */
  private static final Duration CACHE_TTL = Duration.ofMinutes(2);

  private static final int MAX_REMEMBERED = 200_000;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final int perMinute;
  private final Counter refused;
  private final LoadingCache<Owner, Bucket> buckets;

  KeyedRateLimiter(int perMinute, TimeMeter clock, Counter refused) {
    this.perMinute = perMinute;
    this.refused = refused;
    this.buckets =
        Caffeine.newBuilder()
            .maximumSize(MAX_REMEMBERED)
            .expireAfterAccess(CACHE_TTL)
            .build(_ ->
                Bucket.builder()
                    .addLimit(limit -> limit.capacity(perMinute).refillGreedy(perMinute, MINUTE))
                    .withCustomTimePrecision(clock)
                    .build());
  }

  /**
   * Counts a request and sets the {@code X-RateLimit} headers; refuses it when no token is left.
   */
  void take(Owner owner, HttpServletResponse response) {
    ConsumptionProbe probe = buckets.get(owner).tryConsumeAndReturnRemaining(1);
    response.setIntHeader("X-RateLimit-Limit", perMinute);
    response.setIntHeader("X-RateLimit-Remaining", (int) probe.getRemainingTokens());
    response.setIntHeader("X-RateLimit-Reset", seconds(probe.getNanosToWaitForReset()));
    if (!probe.isConsumed()) {
      refused.increment();
      int wait = Math.max(1, seconds(probe.getNanosToWaitForRefill()));
      response.setIntHeader(HttpHeaders.RETRY_AFTER, wait);
      throw new ProblemException(
          ErrorCode.RATE_LIMITED,
          "too many requests (allowed: %d a minute); try again in %d s".formatted(perMinute, wait));
    }
  }

  private static int seconds(long nanos) {
    return (int) Math.ceilDiv(nanos, SECOND);
  }
}

package dev.muster.identity;

import dev.muster.identity.RateLimitGroup.RateLimitBucket;
import dev.muster.platform.http.Owner;
import dev.muster.platform.http.RequestOwner;
import io.github.bucket4j.TimeMeter;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.stereotype.Component;

/**
 * Holds this replica's rate limits (docs/api.md, section 11). Each owner has one per kind of route.
 * Each remote network has one for requests without a known credential. Each owner has one for its
 * revoked tokens, so that these use up nothing of its live ones.
 */
@Component
final class RateLimits {

  private static final int ANONYMOUS_REQUESTS = 120;
  private static final int SIGN_INS = 10;

  private final Map<RateLimitBucket, KeyedRateLimiter> ofOwners =
      new EnumMap<>(RateLimitBucket.class);
  private final @Nullable KeyedRateLimiter ofNetworks;
  private final @Nullable KeyedRateLimiter ofRevoked;
  private final @Nullable KeyedRateLimiter ofSignIns;

  /** Requests per minute of each owner; 0 for no limit. */
  @ConfigurationProperties("muster.rate-limit")
  record Settings(int general, int heartbeat, int poll) {}

  RateLimits(Settings settings, MeterRegistry metrics) {
    int general = settings.general();
    limit(RateLimitBucket.GENERAL, general, metrics);
    limit(RateLimitBucket.HEARTBEAT, settings.heartbeat(), metrics);
    limit(RateLimitBucket.POLL, settings.poll(), metrics);
    this.ofNetworks =
        allowance("anonymous", general == 0 ? 0 : ANONYMOUS_REQUESTS, metrics).orElse(null);
    this.ofRevoked = allowance("revoked", general, metrics).orElse(null);
    this.ofSignIns = allowance("sign-in", general == 0 ? 0 : SIGN_INS, metrics).orElse(null);
  }

  private void limit(RateLimitBucket limit, int perMinute, MeterRegistry metrics) {
    String name = limit.name().toLowerCase(java.util.Locale.ROOT);
    allowance(name, perMinute, metrics).ifPresent(some -> ofOwners.put(limit, some));
  }

  private static Optional<KeyedRateLimiter> allowance(
      String name, int perMinute, MeterRegistry metrics) {
    Counter refused =
        Counter.builder("muster.rate.limited")
            .description("Requests refused by rate limits")
            .tag("limit", name)
            .register(metrics);
    return perMinute == 0
        ? Optional.empty()
        : Optional.of(new KeyedRateLimiter(perMinute, TimeMeter.SYSTEM_NANOTIME, refused));
  }

  /** Counts a request of an owner; refuses with {@code RATE_LIMITED} above the limit. */
  void take(RateLimitBucket limit, Owner owner, HttpServletResponse response) {
    KeyedRateLimiter limiter = ofOwners.get(limit);
    if (limiter != null) {
      limiter.take(owner, response);
    }
  }

  /**
   * Counts a request that the route does not admit.
   *
   * @param owner the owner of the revoked token; null counts against the network
   */
  void takeOfRefused(
      @Nullable Owner owner, HttpServletRequest request, HttpServletResponse response) {
    if (owner == null) {
      takeOfNetwork(request, response);
    } else if (ofRevoked != null) {
      ofRevoked.take(owner, response);
    }
  }

  /** Counts an attempt to sign in to the console against its network. */
  void takeSignIn(HttpServletRequest request, HttpServletResponse response) {
    if (ofSignIns != null) {
      ofSignIns.take(RequestOwner.networkOf(request), response);
    }
  }

  /**
   * Counts a request without a known credential against its network; refuses with {@code
   * RATE_LIMITED} above the limit.
   */
  void takeOfNetwork(HttpServletRequest request, HttpServletResponse response) {
    if (ofNetworks != null) {
      ofNetworks.take(RequestOwner.networkOf(request), response);
    }
  }
}

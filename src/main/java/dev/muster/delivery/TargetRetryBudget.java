package dev.muster.delivery;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.muster.protocol.client.RetryBudget;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Per target, retries may add a fifth to the sends of the last ten seconds, or ten a second if that
 * is more (R7.10). Of targets that nothing was sent to for a minute, nothing is remembered.
 */
class TargetRetryBudget implements RetryBudget {

  private static final int MOST_TARGETS = 100_000;
  private static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(1);

  private final LongSupplier nanos;
  private final LoadingCache<String, TargetLoad> loads;

  /** {@code nanos} as {@link System#nanoTime}. */
  TargetRetryBudget(LongSupplier nanos) {
    this.nanos = nanos;
    this.loads =
        Caffeine.newBuilder()
            .maximumSize(MOST_TARGETS)
            .expireAfterAccess(FORGOTTEN_AFTER)
            .ticker(nanos::getAsLong)
            .build(_ -> new TargetLoad(nanos.getAsLong()));
  }

  @Override
  public void sent(String target) {
    loads.get(target).sent(nanos.getAsLong());
  }

  @Override
  public boolean mayRetry(String target) {
    return loads.get(target).takeRetry(nanos.getAsLong());
  }
}

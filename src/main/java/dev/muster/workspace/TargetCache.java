package dev.muster.workspace;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Component;

/**
 * Caches targets as last read; an entry may be outdated. Its user must have the database check the
 * versions of {@link DeliveryTarget}.
 */
@Component
class TargetCache {

  private static final int MAX_TARGETS = 50_000;

  private final Cache<UUID, DeliveryTarget> seen =
      Caffeine.newBuilder().maximumSize(MAX_TARGETS).build();

  Optional<DeliveryTarget> find(UUID id) {
    return Optional.ofNullable(seen.getIfPresent(id));
  }

  void put(DeliveryTarget target) {
    seen.put(target.id(), target);
  }
}

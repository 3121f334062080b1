package dev.muster.workspace;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Component;

/**
 * How targets were seen last. Nothing here is known to be true still: who uses it has the database
 * check the versions of {@link Target}.
 */
@Component
class TargetCache {

  private static final int MOST_TARGETS = 50_000;

  private final Cache<UUID, Target> seen = Caffeine.newBuilder().maximumSize(MOST_TARGETS).build();

  Optional<Target> find(UUID id) {
    return Optional.ofNullable(seen.getIfPresent(id));
  }

  void put(Target target) {
    seen.put(target.id(), target);
  }
}

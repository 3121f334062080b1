package dev.muster.workspace;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Caches which pairs of workspaces may talk to each other (R3.4). An entry is valid only for the
 * hierarchy version it was computed for. That version is read with every target, and the append of
 * a message checks it again. So a pair that any replica has since separated is refused. Refusals
 * are not cached.
 */
@Component
class AccessCache {

  private record Pair(UUID one, UUID other) {}

  /** About 10 MiB; a pair beyond it is looked up again. */
  private static final int MAX_PAIRS = 50_000;

  /** The hierarchy version for which each pair was allowed. */
  private final Cache<Pair, Long> allowed = Caffeine.newBuilder().maximumSize(MAX_PAIRS).build();

  private final Hierarchy hierarchy;

  AccessCache(Hierarchy hierarchy) {
    this.hierarchy = hierarchy;
  }

  /**
   * As {@link Hierarchy#mayTalk}, with a cache.
   *
   * @param treeVersion the hierarchy version, read before this call
   */
  boolean mayTalk(UUID one, UUID other, long treeVersion) {
    Pair pair = new Pair(one, other);
    @Nullable Long known = allowed.getIfPresent(pair);
    if (known != null && known == treeVersion) {
      return true;
    }
    boolean mayTalk = hierarchy.mayTalk(one, other);
    if (mayTalk) {
      allowed.put(pair, treeVersion);
    }
    return mayTalk;
  }
}

package dev.muster.workspace;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Who was found to be allowed to talk to whom (R3.4), for as long as the tree is what it was then:
 * its version is read with every target, so nothing that is forbidden by now is ever allowed, on
 * whichever replica it was forbidden. What was refused is not remembered.
 */
@Component
class AccessCache {

  private record Pair(UUID one, UUID other) {}

  /** Some 10 MiB; others are looked up again. */
  private static final int MAX_PAIRS = 50_000;

  /** By the version of the tree that they were looked up for. */
  private final Cache<Pair, Long> allowed = Caffeine.newBuilder().maximumSize(MAX_PAIRS).build();

  private final Hierarchy hierarchy;

  AccessCache(Hierarchy hierarchy) {
    this.hierarchy = hierarchy;
  }

  /** As {@link Hierarchy#mayTalk}; the version must have been read before the call. */
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

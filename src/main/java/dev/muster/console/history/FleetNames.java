package dev.muster.console.history;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.console.fleet.FleetWorkspace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * What workspaces are called today, and what is above them. The history has only their ids.
 *
 * <p>Reading all names takes longer than the statuses of a time, and they rarely change: they are
 * kept for 30 s.
 */
@Component
class FleetNames {

  private static final Duration KEPT = Duration.ofSeconds(30);

  /** About 80 MB; a larger fleet is read each time. */
  private static final int MAX_KEPT = 300_000;

  private static final int FETCH_SIZE = 5000;
  private static final String ALL_NAMES = "all";

  private static final String ALL = FleetWorkspace.SELECT + "ORDER BY created_at, id";

  private static final String SOME =
      FleetWorkspace.SELECT + "WHERE id = ANY (:ids) ORDER BY created_at, id";

  /** Workspaces in the order of creation, and the place of each in the list. */
  record Names(List<FleetWorkspace> all, Map<UUID, Integer> places) {

    static Names of(List<FleetWorkspace> all) {
      Map<UUID, Integer> places = HashMap.newHashMap(all.size());
      for (int i = 0; i < all.size(); i++) {
        places.put(all.get(i).id(), i);
      }
      return new Names(all, places);
    }
  }

  private final JdbcClient db;
  private final Cache<String, Names> kept =
      Caffeine.newBuilder()
          .expireAfterWrite(KEPT)
          .maximumWeight(MAX_KEPT)
          .weigher((String key, Names names) -> names.all().size())
          .build();

  FleetNames(JdbcClient db) {
    this.db = db;
  }

  /** Returns all that had a row within the last 30 s, removed ones too. */
  Names all() {
    return Objects.requireNonNull(kept.get(ALL_NAMES, _ -> readAll()));
  }

  private Names readAll() {
    List<FleetWorkspace> all = new ArrayList<>();
    db.sql(ALL)
        .withFetchSize(FETCH_SIZE)
        .query(row -> {
          all.add(FleetWorkspace.read(row));
        });
    return Names.of(all);
  }

  /**
   * Returns these workspaces in the order of creation, and last those that have no row, with an
   * empty name.
   */
  List<FleetWorkspace> of(Collection<UUID> ids) {
    if (ids.isEmpty()) {
      return List.of();
    }
    List<FleetWorkspace> found =
        new ArrayList<>(
            db.sql(SOME)
                .param("ids", ids.toArray(UUID[]::new))
                .query((row, n) -> FleetWorkspace.read(row))
                .list());
    Set<UUID> without = new HashSet<>(ids);
    found.forEach(one -> without.remove(one.id()));
    without.stream()
        .sorted()
        .map(id -> new FleetWorkspace(id, null, "", null, "", 0, false))
        .forEach(found::add);
    return found;
  }
}

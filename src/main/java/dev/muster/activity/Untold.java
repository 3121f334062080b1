package dev.muster.activity;

import dev.muster.event.LiveEvent;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * What was not told yet of one numbered series of each feed. It keeps the last number of each feed
 * that was told, so a signal that is lost, comes late or twice changes nothing. Not thread-safe.
 */
final class Untold<R> {

  private final Function<Map<UUID, Long>, List<R>> readAfter;
  private final Function<R, UUID> feedOf;
  private final ToLongFunction<R> numberOf;
  private final Function<List<R>, List<LiveEvent>> eventsOf;
  private final Map<UUID, Long> told = new HashMap<>();
  private final Set<UUID> grown = new HashSet<>();

  /**
   * @param readAfter what comes after these numbers, in order, at most {@link
   *     LoggedRepository#MOST_OF_A_FEED} of a feed; or the first {@link
   *     LoggedRepository#MOST_OF_ALL} of them, or more
   */
  Untold(
      Function<Map<UUID, Long>, List<R>> readAfter,
      Function<R, UUID> feedOf,
      ToLongFunction<R> numberOf,
      Function<List<R>, List<LiveEvent>> eventsOf) {
    this.readAfter = readAfter;
    this.feedOf = feedOf;
    this.numberOf = numberOf;
    this.eventsOf = eventsOf;
  }

  void forgetAll() {
    told.clear();
    grown.clear();
  }

  /** What is there already is no news. */
  void beginAt(UUID feed, long number) {
    told.put(feed, number);
  }

  /** There may be more of these feeds. */
  void mayHaveGrown(Set<UUID> feeds) {
    grown.addAll(feeds);
  }

  void isAt(UUID feed, long number) {
    if (number > told.getOrDefault(feed, 0L)) {
      grown.add(feed);
    }
  }

  /** Tells all there is; what cannot be read stays to be told. */
  void tell(Consumer<List<LiveEvent>> listener) {
    while (!grown.isEmpty()) {
      List<R> page =
          readAfter.apply(
              grown.stream()
                  .collect(Collectors.toMap(feed -> feed, feed -> told.getOrDefault(feed, 0L))));
      listener.accept(eventsOf.apply(page));
      Set<UUID> more = fullOnes(page);
      if (page.size() < LoggedRepository.MOST_OF_ALL) {
        grown.clear();
      }
      grown.addAll(more);
    }
  }

  /** Those of which there may be more to tell. */
  private Set<UUID> fullOnes(List<R> page) {
    Map<UUID, Integer> counts = new HashMap<>();
    for (R one : page) {
      told.put(feedOf.apply(one), numberOf.applyAsLong(one));
      counts.merge(feedOf.apply(one), 1, Integer::sum);
    }
    return counts.entrySet().stream()
        .filter(count -> count.getValue() == LoggedRepository.MOST_OF_A_FEED)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}

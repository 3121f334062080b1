package dev.muster.message.feed;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.message.AppendResult.Stored;
import dev.muster.message.NewActivity;
import dev.muster.message.feed.FeedWakeUps.FeedTopic;
import dev.muster.message.store.FeedChangeListener;
import dev.muster.message.store.RowSize;
import dev.muster.platform.work.LongPollRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/**
 * Caches the newest rows of feeds with long polls on this replica. The rows come from this
 * replica's appends, or from one read for all woken polls. So a woken poll usually needs no query.
 * The cache is optional: polls read missing rows from the database.
 */
@Component
class RecentRows implements FeedChangeListener {

  /** A row as a list shows it, and how many bytes it takes there. */
  record Recent(StoredActivity row, int bytes) {}

  /** A few are enough, since the first new row wakes a poll. */
  private static final int MAX_PER_FEED = 16;

  private static final int MAX_ROW_BYTES = 16 << 10;
  private static final long MAX_BYTES = 16L << 20;
  private static final Duration KEPT = Duration.ofSeconds(5);
  private static final int BATCH_SIZE = 500;

  private final LongPollRegistry polls;
  private final FeedPages pages;
  private final Cache<UUID, List<Recent>> feeds =
      Caffeine.newBuilder()
          .expireAfterWrite(KEPT)
          .maximumWeight(MAX_BYTES)
          .weigher((UUID feed, List<Recent> rows) -> rows.stream().mapToInt(Recent::bytes).sum())
          .build();

  RecentRows(LongPollRegistry polls, FeedPages pages) {
    this.polls = polls;
    this.pages = pages;
  }

  @Override
  public void appended(NewActivity row, Stored stored) {
    if (polls.waitersOf(new FeedTopic(row.workspaceId())) == 0
        || !isPlain(row, stored)
        || RowSize.estimate(row) > MAX_ROW_BYTES) {
      return;
    }
    int bytes = RowSize.of(row).listed();
    if (bytes <= MAX_ROW_BYTES) {
      Recent recent = new Recent(StoredActivity.of(row, stored), bytes);
      keep(row.workspaceId(), List.of(recent));
    }
  }

  /** Caches the rows that another replica appended to these feeds. */
  void read(Set<UUID> workspaceIds) {
    Map<UUID, Long> seen = new HashMap<>();
    for (UUID id : workspaceIds) {
      polls.seenByAll(new FeedTopic(id)).ifPresent(seq -> seen.put(id, seq));
      if (seen.size() == BATCH_SIZE) {
        read(seen);
        seen.clear();
      }
    }
    read(seen);
  }

  private void read(Map<UUID, Long> seen) {
    if (!seen.isEmpty()) {
      pages.plainRows(seen, MAX_PER_FEED, MAX_ROW_BYTES).stream()
          .collect(Collectors.groupingBy(recent -> recent.row().workspaceId()))
          .forEach(this::keep);
    }
  }

  private void keep(UUID workspaceId, List<Recent> rows) {
    feeds.asMap().merge(workspaceId, rows, RecentRows::newest);
  }

  /**
   * Tells whether the row reads as it was written. The outcome of a delivery would change it soon.
   */
  private static boolean isPlain(NewActivity row, Stored stored) {
    return !row.beganDelivery(stored) && row.content().attachments().isEmpty();
  }

  private static List<Recent> newest(List<Recent> known, List<Recent> added) {
    SortedMap<Long, Recent> rows = new TreeMap<>();
    known.forEach(recent -> rows.put(recent.row().seq(), recent));
    added.forEach(recent -> rows.put(recent.row().seq(), recent));
    return rows.values().stream().skip(Math.max(0, rows.size() - MAX_PER_FEED)).toList();
  }

  /**
   * Returns the rows that follow {@code seq} without a gap, oldest first. The list is empty if the
   * next row is not cached.
   */
  List<Recent> after(UUID workspaceId, long seq) {
    List<Recent> next = new ArrayList<>();
    for (Recent recent : feeds.asMap().getOrDefault(workspaceId, List.of())) {
      if (recent.row().seq() == seq + next.size() + 1) {
        next.add(recent);
      }
    }
    return next;
  }
}

package dev.muster.activity;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.activity.Appended.Stored;
import dev.muster.activity.FeedWatch.FeedTopic;
import dev.muster.platform.longpoll.LongPolls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.springframework.stereotype.Component;

/**
 * Rows that this replica has just appended to feeds that are waited for here, so that the poll that
 * is woken by one needs no look at the database. Nothing depends on what it has: what it does not
 * know is read.
 */
@Component
class RecentRows {

  /** A row as a list shows it, and how many bytes it takes there. */
  record Recent(StoredActivity row, int bytes) {}

  /** A poll is woken by the first of them. */
  private static final int MOST_OF_A_FEED = 16;

  private static final int LARGEST_ROW = 16 << 10;
  private static final long MOST_BYTES = 16L << 20;
  private static final Duration KEPT = Duration.ofSeconds(5);

  private final LongPolls polls;
  private final Cache<UUID, List<Recent>> feeds =
      Caffeine.newBuilder()
          .expireAfterWrite(KEPT)
          .maximumWeight(MOST_BYTES)
          .weigher((UUID feed, List<Recent> rows) -> rows.stream().mapToInt(Recent::bytes).sum())
          .build();

  RecentRows(LongPolls polls) {
    this.polls = polls;
  }

  /** Of a transaction that is committed; before anybody is woken. */
  void keep(NewActivity row, Stored stored) {
    if (!polls.isWaitedFor(new FeedTopic(row.workspaceId())) || !isPlain(row)) {
      return;
    }
    int bytes = RowSize.of(row).listed();
    if (bytes <= LARGEST_ROW) {
      Recent recent = new Recent(StoredActivity.of(row, stored), bytes);
      feeds.asMap().merge(row.workspaceId(), List.of(recent), RecentRows::newest);
    }
  }

  /** What a delivery will do to a row, and how its files are stored, only the database tells. */
  private static boolean isPlain(NewActivity row) {
    return row.delivery() == null && row.content().attachments().isEmpty();
  }

  private static List<Recent> newest(List<Recent> known, List<Recent> added) {
    List<Recent> all = new ArrayList<>(known);
    all.addAll(added);
    return List.copyOf(all.subList(Math.max(0, all.size() - MOST_OF_A_FEED), all.size()));
  }

  /**
   * The rows that follow {@code seq} without a gap, oldest first; none when it has not the next.
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

package dev.muster.activity;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction writes into feeds whose heads it has locked: each change gets its place as it
 * comes.
 */
final class FeedDraft {

  private final FeedQuota quota;
  private final Map<UUID, FeedHead> locked;
  private final Map<UUID, FeedHead> heads;
  private final Map<MessageName, KnownMessage> messages;
  private final Set<UUID> endable;
  private final Set<UUID> grown = new HashSet<>();
  private final Set<UUID> countedAnew = new HashSet<>();
  private final List<PlacedActivity> rows = new ArrayList<>();
  private final List<PlacedEnd> ends = new ArrayList<>();

  /**
   * @param messages those that are in the feeds already
   * @param endable the rows whose turns may be ended
   */
  FeedDraft(
      FeedQuota quota,
      Map<UUID, FeedHead> locked,
      Map<MessageName, KnownMessage> messages,
      Set<UUID> endable) {
    this.quota = quota;
    this.locked = locked;
    this.heads = new HashMap<>(locked);
    this.messages = new HashMap<>(messages);
    this.endable = new HashSet<>(endable);
  }

  FeedResult add(FeedChange change) {
    return switch (change) {
      case NewActivity row -> add(row);
      case TurnEnd end -> add(end);
    };
  }

  private Appended add(NewActivity row) {
    @Nullable MessageIdentity identity = row.identity();
    @Nullable KnownMessage known =
        identity == null ? null : messages.get(MessageName.of(row, identity));
    if (identity != null && known != null) {
      return known.against(identity);
    }
    RowSize size = RowSize.of(row);
    FeedHead end = countedEnd(row, size);
    if (!quota.hasRoom(end, row, size)) {
      return quota.full(end);
    }
    PlacedActivity here =
        PlacedActivity.at(
            move(row.workspaceId(), head -> head.after(row.source(), size.whole())), size, row);
    rows.add(here);
    if (identity != null) {
      messages.put(MessageName.of(row, identity), KnownMessage.of(here, identity));
    }
    return new Appended.Stored(here.id(), here.seq());
  }

  /** The feed's end, with the true count of what is unread if that is needed. */
  private FeedHead countedEnd(NewActivity row, RowSize size) {
    UUID feed = row.workspaceId();
    FeedHead end = Objects.requireNonNull(heads.get(feed));
    if (!quota.hasRoom(end, row, size) && countedAnew.add(feed)) {
      end = quota.countAnew(Objects.requireNonNull(locked.get(feed)), end);
      heads.put(feed, end);
    }
    return end;
  }

  /** Of two ends of one turn the first is the end. */
  private Ended add(TurnEnd end) {
    if (!endable.remove(end.activityId())) {
      return Ended.PASSED;
    }
    ends.add(new PlacedEnd(move(end.workspaceId(), FeedHead::afterTurn).lastTurnSeq(), end));
    return Ended.STORED;
  }

  private FeedHead move(UUID feed, UnaryOperator<FeedHead> step) {
    FeedHead moved = step.apply(Objects.requireNonNull(heads.get(feed)));
    heads.put(feed, moved);
    grown.add(feed);
    return moved;
  }

  /** The feeds that it changes. */
  Set<UUID> grown() {
    return grown;
  }

  List<FeedHead> movedHeads() {
    return heads.values().stream().filter(head -> grown.contains(head.workspaceId())).toList();
  }

  List<PlacedActivity> rows() {
    return rows;
  }

  List<PlacedEnd> ends() {
    return ends;
  }
}

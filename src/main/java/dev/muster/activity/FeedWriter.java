package dev.muster.activity;

import dev.muster.platform.commit.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Appends rows in the transaction of its caller, in their order, each under the lock of its feed's
 * head: so seq, time and commit of a feed's rows have one order (R6.4), and a message that is there
 * already is seen (R7.3).
 */
@Component
class FeedWriter {

  private final FeedRepository feeds;
  private final ActivityRepository rows;
  private final FeedSignals signals;

  FeedWriter(FeedRepository feeds, ActivityRepository rows, FeedSignals signals) {
    this.feeds = feeds;
    this.rows = rows;
    this.signals = signals;
  }

  /** Rows of feeds that somebody else holds are busy. */
  List<Outcome<Appended>> appendUnlessBusy(List<NewActivity> wanted) {
    Map<UUID, FeedHead> heads = byId(feeds.lockUnlessBusy(feedsOf(wanted)));
    List<NewActivity> free =
        wanted.stream().filter(row -> heads.containsKey(row.workspaceId())).toList();
    var results = append(free, heads).iterator();
    List<Outcome<Appended>> outcomes = new ArrayList<>(wanted.size());
    for (NewActivity row : wanted) {
      outcomes.add(
          heads.containsKey(row.workspaceId())
              ? new Outcome.Done<>(results.next())
              : new Outcome.Busy<>());
    }
    return outcomes;
  }

  /** Waits for feeds that somebody else holds. */
  List<Appended> append(List<NewActivity> wanted) {
    return append(wanted, byId(feeds.lock(feedsOf(wanted))));
  }

  private static Set<UUID> feedsOf(List<NewActivity> rows) {
    return rows.stream()
        .map(NewActivity::workspaceId)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Map<UUID, FeedHead> byId(Collection<FeedHead> heads) {
    return heads.stream().collect(Collectors.toMap(FeedHead::workspaceId, Function.identity()));
  }

  private List<Appended> append(List<NewActivity> wanted, Map<UUID, FeedHead> locked) {
    Map<MessageName, KnownMessage> messages = rows.findMessages(messagesOf(wanted));
    Map<UUID, FeedHead> heads = new HashMap<>(locked);
    List<PlacedActivity> placed = new ArrayList<>();
    List<Appended> results = new ArrayList<>(wanted.size());
    for (NewActivity row : wanted) {
      @Nullable MessageIdentity identity = row.identity();
      @Nullable KnownMessage known =
          identity == null ? null : messages.get(MessageName.of(row, identity));
      if (identity != null && known != null) {
        results.add(known.against(identity));
        continue;
      }
      FeedHead place = Objects.requireNonNull(heads.get(row.workspaceId())).after(row.source());
      heads.put(row.workspaceId(), place);
      PlacedActivity here = PlacedActivity.at(place, row);
      placed.add(here);
      results.add(new Appended.Stored(here.id(), here.seq()));
      if (identity != null) {
        messages.put(MessageName.of(row, identity), KnownMessage.of(here, identity));
      }
    }
    store(placed, heads);
    return results;
  }

  private static Set<MessageName> messagesOf(List<NewActivity> rows) {
    Set<MessageName> messages = new HashSet<>();
    for (NewActivity row : rows) {
      if (row.identity() != null) {
        messages.add(MessageName.of(row, row.identity()));
      }
    }
    return messages;
  }

  private void store(List<PlacedActivity> placed, Map<UUID, FeedHead> heads) {
    if (placed.isEmpty()) {
      return;
    }
    Set<UUID> grown =
        placed.stream().map(one -> one.row().workspaceId()).collect(Collectors.toSet());
    feeds.move(heads.values().stream().filter(head -> grown.contains(head.workspaceId())).toList());
    rows.insert(placed);
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            signals.grown(grown);
          }
        });
  }
}

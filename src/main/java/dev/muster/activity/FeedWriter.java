package dev.muster.activity;

import dev.muster.activity.CompanionStore.Accompanied;
import dev.muster.platform.commit.Outcome;
import dev.muster.platform.postgres.Pipeline;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Writes into feeds in the transaction of its caller, in the order given, under the locks of their
 * heads: so seq, time and commit of a feed's rows have one order (R6.4), and a message that is
 * there already is seen (R7.3).
 */
@Component
class FeedWriter {

  /** What a write begins with: heads that are locked now, and messages that are there already. */
  private record Begun(Map<UUID, FeedHead> heads, Map<MessageName, KnownMessage> messages) {}

  private final JdbcTemplate db;
  private final FeedRepository feeds;
  private final ActivityRepository rows;
  private final TurnRepository turns;
  private final FeedQuota quota;
  private final FeedSignals signals;
  private final Optional<CompanionStore> companions;

  FeedWriter(
      JdbcTemplate db,
      FeedRepository feeds,
      ActivityRepository rows,
      TurnRepository turns,
      FeedQuota quota,
      FeedSignals signals,
      Optional<CompanionStore> companions) {
    this.db = db;
    this.feeds = feeds;
    this.rows = rows;
    this.turns = turns;
    this.quota = quota;
    this.signals = signals;
    this.companions = companions;
  }

  /** Changes of feeds that somebody else holds are busy. */
  List<Outcome<FeedResult>> writeUnlessBusy(List<FeedChange> wanted) {
    Begun begun = begin(wanted, feeds::lockUnlessBusy);
    List<FeedChange> free =
        wanted.stream().filter(change -> begun.heads().containsKey(change.workspaceId())).toList();
    var results = write(free, begun).iterator();
    List<Outcome<FeedResult>> outcomes = new ArrayList<>(wanted.size());
    for (FeedChange change : wanted) {
      outcomes.add(
          begun.heads().containsKey(change.workspaceId())
              ? new Outcome.Done<>(results.next())
              : new Outcome.Busy<>());
    }
    return outcomes;
  }

  /** Waits for feeds that somebody else holds. */
  List<FeedResult> write(List<? extends FeedChange> wanted) {
    return write(wanted, begin(wanted, feeds::lock));
  }

  private Begun begin(
      List<? extends FeedChange> wanted,
      BiFunction<Pipeline, Set<UUID>, Supplier<List<FeedHead>>> lock) {
    Pipeline pipeline = new Pipeline(db);
    var heads = lock.apply(pipeline, feedsOf(wanted));
    var messages = rows.findMessages(pipeline, messagesOf(wanted));
    pipeline.run();
    return new Begun(byId(heads.get()), messages.get());
  }

  private static Set<UUID> feedsOf(List<? extends FeedChange> changes) {
    return changes.stream()
        .map(FeedChange::workspaceId)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Map<UUID, FeedHead> byId(Collection<FeedHead> heads) {
    return heads.stream().collect(Collectors.toMap(FeedHead::workspaceId, Function.identity()));
  }

  private List<FeedResult> write(List<? extends FeedChange> wanted, Begun begun) {
    FeedDraft draft =
        new FeedDraft(quota, begun.heads(), begun.messages(), endable(endsOf(wanted)));
    List<FeedResult> results = wanted.stream().map(draft::add).toList();
    store(draft);
    return results;
  }

  private static Set<MessageName> messagesOf(List<? extends FeedChange> changes) {
    Set<MessageName> messages = new HashSet<>();
    for (FeedChange change : changes) {
      if (change instanceof NewActivity row && row.identity() != null) {
        messages.add(MessageName.of(row, row.identity()));
      }
    }
    return messages;
  }

  private static List<TurnEnd> endsOf(List<? extends FeedChange> changes) {
    return changes.stream().filter(TurnEnd.class::isInstance).map(TurnEnd.class::cast).toList();
  }

  private Set<UUID> endable(List<TurnEnd> ends) {
    Set<UUID> endable =
        turns.open(
            ends.stream().filter(end -> end.companion() == null).map(TurnEnd::activityId).toList());
    List<TurnEnd> accompanied = ends.stream().filter(end -> end.companion() != null).toList();
    if (!accompanied.isEmpty()) {
      endable.addAll(companions.orElseThrow().ended(accompanied));
    }
    return endable;
  }

  private void store(FeedDraft draft) {
    if (draft.grown().isEmpty()) {
      return;
    }
    Pipeline pipeline = new Pipeline(db);
    feeds.move(pipeline, draft.movedHeads());
    if (!draft.rows().isEmpty()) {
      rows.insert(pipeline, draft.rows());
      storeCompanions(pipeline, draft.rows());
    }
    if (!draft.ends().isEmpty()) {
      turns.end(pipeline, draft.ends());
    }
    pipeline.run();
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            signals.grown(draft.grown());
          }
        });
  }

  private void storeCompanions(Pipeline pipeline, List<PlacedActivity> placed) {
    List<Accompanied> accompanied =
        placed.stream()
            .filter(one -> one.row().companion() != null)
            .map(one -> new Accompanied(one.id(), one.row()))
            .toList();
    if (!accompanied.isEmpty()) {
      companions.orElseThrow().appended(pipeline, accompanied);
    }
  }
}

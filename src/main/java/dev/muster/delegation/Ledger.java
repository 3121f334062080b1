package dev.muster.delegation;

import dev.muster.activity.Feeds;
import dev.muster.activity.NewActivity;
import dev.muster.delegation.LedgerRepository.Move;
import dev.muster.event.Events;
import dev.muster.platform.commit.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Moves delegations in the transaction of its caller, under the locks of their rows, which come
 * before those of feeds: so of two that race exactly one wins, and whoever is to hear of it does,
 * or nothing happens at all.
 */
@Service
class Ledger {

  /**
   * What became of wishes, in their order.
   *
   * @param rows for the feeds of callers, to be appended in the same transaction
   */
  record Entry(List<Granted> results, List<NewActivity> rows) {}

  private final LedgerRepository repository;
  private final DelegationEvents delegationEvents;
  private final ResultRows results;
  private final Events events;
  private final Feeds feeds;
  private final DelegationCounts counts;

  Ledger(
      LedgerRepository repository,
      DelegationEvents delegationEvents,
      ResultRows results,
      Events events,
      Feeds feeds,
      DelegationCounts counts) {
    this.repository = repository;
    this.delegationEvents = delegationEvents;
    this.results = results;
    this.events = events;
    this.feeds = feeds;
    this.counts = counts;
  }

  /** Waits for rows that somebody else holds; rows for feeds are the caller's to append. */
  @Transactional(propagation = Propagation.MANDATORY)
  public Entry enter(List<Wish> wishes) {
    LedgerDraft draft = new LedgerDraft(repository.lock(idsOf(wishes)));
    List<Granted> granted = wishes.stream().map(draft::add).toList();
    return new Entry(granted, store(draft));
  }

  /** As {@link #enter}, and callers are told. */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<Granted> grant(List<Wish> wishes) {
    Entry entry = enter(wishes);
    append(entry.rows());
    return entry.results();
  }

  /** As {@link #grant}, but those are busy of which somebody else holds a row. */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<Outcome<List<Granted>>> grantUnlessBusy(List<Wishes> all) {
    Set<String> ids =
        all.stream()
            .flatMap(wishes -> wishes.wishes().stream())
            .map(Wish::delegationId)
            .collect(Collectors.toCollection(TreeSet::new));
    LedgerDraft draft = new LedgerDraft(repository.lockUnlessBusy(ids));
    Set<String> missing = ids.stream().filter(id -> !draft.holds(id)).collect(Collectors.toSet());
    Set<String> busy = missing.isEmpty() ? missing : repository.existing(missing);
    List<Outcome<List<Granted>>> outcomes = new ArrayList<>(all.size());
    for (Wishes wishes : all) {
      outcomes.add(
          wishes.wishes().stream().anyMatch(wish -> busy.contains(wish.delegationId()))
              ? new Outcome.Busy<>()
              : new Outcome.Done<>(wishes.wishes().stream().map(draft::add).toList()));
    }
    append(store(draft));
    return outcomes;
  }

  /**
   * Does what follows from transitions that are stored already, and returns the rows that the feeds
   * of callers are to have of them.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<NewActivity> tell(List<Transition> transitions) {
    events.recordAll(transitions.stream().map(delegationEvents::of).toList());
    counts.countAfterCommit(transitions);
    return transitions.stream().flatMap(one -> results.of(one).stream()).toList();
  }

  void append(List<NewActivity> rows) {
    if (!rows.isEmpty()) {
      feeds.appendAll(rows);
    }
  }

  private List<NewActivity> store(LedgerDraft draft) {
    List<Move> moves = draft.moves();
    if (!moves.isEmpty()) {
      repository.move(moves);
    }
    return tell(draft.transitions());
  }

  private static Set<String> idsOf(List<Wish> wishes) {
    return wishes.stream().map(Wish::delegationId).collect(Collectors.toCollection(TreeSet::new));
  }
}

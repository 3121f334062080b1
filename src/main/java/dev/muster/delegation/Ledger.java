package dev.muster.delegation;

import dev.muster.delegation.LedgerRepository.Move;
import dev.muster.event.Events;
import dev.muster.message.Feeds;
import dev.muster.platform.postgres.BatchOutcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Changes delegations in the caller's transaction. It locks their rows, and feeds only afterwards.
 * So exactly one of two racing commands wins. The change, its event and the caller's row commit
 * together or not at all.
 */
@Service
class Ledger {

  /** The result of a command. */
  sealed interface Result {

    /**
     * The command was applied.
     *
     * @param moved whether the status changed
     */
    record Applied(DelegationStatus status, boolean moved) implements Result {}

    /** The transition is not allowed (R8.1). */
    record Invalid(DelegationStatus status) implements Result {}

    /** The delegation does not exist, or the actor may not change it. */
    record NotFound() implements Result {}
  }

  private final LedgerRepository repository;
  private final ResultActivities results;
  private final Events events;
  private final Feeds feeds;
  private final DelegationMetrics metrics;

  Ledger(
      LedgerRepository repository,
      ResultActivities results,
      Events events,
      Feeds feeds,
      DelegationMetrics metrics) {
    this.repository = repository;
    this.results = results;
    this.events = events;
    this.feeds = feeds;
    this.metrics = metrics;
  }

  /**
   * Applies the commands and returns their results in order. Waits for rows that other transactions
   * hold.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<Result> apply(List<TransitionRequest> commands) {
    LedgerBatch draft = new LedgerBatch(repository.lock(idsOf(commands.stream())));
    List<Result> results = commands.stream().map(draft::add).toList();
    store(draft);
    return results;
  }

  /**
   * Applies the commands like {@link #apply}, but does not wait. A list with a delegation that
   * another transaction holds gets {@link BatchOutcome.Locked}.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<BatchOutcome<List<Result>>> applySkippingLocked(List<List<TransitionRequest>> all) {
    Set<String> ids = idsOf(all.stream().flatMap(List::stream));
    LedgerBatch draft = new LedgerBatch(repository.lockSkippingLocked(ids));
    Set<String> missing = ids.stream().filter(id -> !draft.holds(id)).collect(Collectors.toSet());
    Set<String> busy = missing.isEmpty() ? missing : repository.existing(missing);
    List<BatchOutcome<List<Result>>> outcomes = new ArrayList<>(all.size());
    for (List<TransitionRequest> commands : all) {
      outcomes.add(
          commands.stream().anyMatch(request -> busy.contains(request.delegationId()))
              ? new BatchOutcome.Locked<>()
              : new BatchOutcome.Done<>(commands.stream().map(draft::add).toList()));
    }
    store(draft);
    return outcomes;
  }

  /** Records events, metrics and the callers' rows for stored transitions. */
  @Transactional(propagation = Propagation.MANDATORY)
  public void recordTransitions(List<Transition> transitions) {
    events.recordAll(transitions.stream().map(DelegationEvents::of).toList());
    metrics.countAfterCommit(transitions);
    feeds.appendAll(
        transitions.stream()
            .filter(Transition::isToldToCaller)
            .map(transition -> results.of(transition.delegation()))
            .toList());
  }

  private void store(LedgerBatch draft) {
    List<Move> moves = draft.moves();
    if (!moves.isEmpty()) {
      repository.move(moves);
    }
    recordTransitions(draft.transitions());
  }

  private static Set<String> idsOf(Stream<TransitionRequest> commands) {
    return commands
        .map(TransitionRequest::delegationId)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Applies commands one by one, in memory, to delegations whose rows the transaction holds. */
  private static final class LedgerBatch {

    private final Map<String, LockedDelegation> held = new HashMap<>();

    /** The statuses before the first change. */
    private final Map<String, DelegationStatus> changed = new LinkedHashMap<>();

    private final List<Transition> transitions = new ArrayList<>();

    LedgerBatch(Collection<LockedDelegation> locked) {
      locked.forEach(one -> held.put(one.delegationId(), one));
    }

    boolean holds(String delegationId) {
      return held.containsKey(delegationId);
    }

    Ledger.Result add(TransitionRequest request) {
      @Nullable LockedDelegation was = held.get(request.delegationId());
      if (was == null || !request.by().mayChange(was)) {
        return new Ledger.Result.NotFound();
      }
      Optional<DelegationState> next = was.state().after(request.command(), was.span(), was.now());
      if (next.isEmpty()) {
        return new Ledger.Result.Invalid(was.status());
      }
      if (next.get().equals(was.state())) {
        return new Ledger.Result.Applied(was.status(), false);
      }
      LockedDelegation now = was.with(next.get());
      held.put(request.delegationId(), now);
      changed.putIfAbsent(request.delegationId(), was.status());
      boolean moved = now.status() != was.status();
      if (moved) {
        boolean callerNotified =
            request.command()
                    instanceof DelegationCommand.Complete(PreviewedText _, boolean isNotified)
                && isNotified;
        transitions.add(new Transition(was.status(), now, callerNotified, null));
      }
      return new Ledger.Result.Applied(now.status(), moved);
    }

    List<Move> moves() {
      return changed.entrySet().stream()
          .map(was -> new Move(was.getValue(), Objects.requireNonNull(held.get(was.getKey()))))
          .toList();
    }

    /** Returns the transitions in the order in which they happened. */
    List<Transition> transitions() {
      return transitions;
    }
  }
}

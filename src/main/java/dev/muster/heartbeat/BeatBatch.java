package dev.muster.heartbeat;

import dev.muster.event.Events;
import dev.muster.platform.commit.BatchAttempts;
import dev.muster.platform.commit.BatchWork;
import dev.muster.platform.commit.CertainTransactions;
import dev.muster.platform.commit.Outcome;
import dev.muster.platform.log.LimitedLog;
import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.Transitions;
import dev.muster.workspace.WorkspaceStatus;
import dev.muster.workspace.Workspaces;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import org.springframework.stereotype.Component;

/**
 * Commits a batch of beats of different workspaces: the steady ones, nearly all, in one statement;
 * the others under their locks, evaluated one by one, with their status changes and events in one
 * transaction.
 */
@Component
class BeatBatch implements BatchWork<Beat, BeatOutcome> {

  private static final LimitedLog log = new LimitedLog(BeatBatch.class);

  private static final Outcome<BeatOutcome> ONLINE =
      new Outcome.Done<>(new BeatOutcome.Recorded(WorkspaceStatus.ONLINE));

  private final BeatRepository repository;
  private final StatusRules rules;
  private final Workspaces workspaces;
  private final Events events;
  private final Transitions transitions;
  private final CertainTransactions transactions;
  private final List<BeatListener> listeners;

  BeatBatch(
      BeatRepository repository,
      StatusRules rules,
      Workspaces workspaces,
      Events events,
      Transitions transitions,
      CertainTransactions transactions,
      List<BeatListener> listeners) {
    this.repository = repository;
    this.rules = rules;
    this.workspaces = workspaces;
    this.events = events;
    this.transitions = transitions;
    this.transactions = transactions;
    this.listeners = listeners;
  }

  @Override
  public List<Outcome<BeatOutcome>> commit(List<Beat> batch) {
    Map<UUID, Outcome<BeatOutcome>> outcomes = new HashMap<>();
    List<Beat> steady =
        batch.stream().filter(beat -> beat.agentCard() == null && rules.isSteady(beat)).toList();
    put(outcomes, steady, BatchAttempts.run(steady, this::recordSteady));
    List<Beat> rest =
        batch.stream().filter(beat -> isOpen(outcomes.get(beat.workspaceId()))).toList();
    put(
        outcomes,
        rest,
        BatchAttempts.run(rest, beats -> transactions.run(() -> recordEvaluated(beats))));
    tell(outcomes);
    return batch.stream()
        .map(beat -> Objects.requireNonNull(outcomes.get(beat.workspaceId())))
        .toList();
  }

  /** What is stored stays stored, whatever becomes of those who hear of it. */
  private void tell(Map<UUID, Outcome<BeatOutcome>> outcomes) {
    List<UUID> heard = new ArrayList<>(outcomes.size());
    outcomes.forEach((id, outcome) -> {
      if (outcome instanceof Outcome.Done<BeatOutcome> done
          && done.result() instanceof BeatOutcome.Recorded) {
        heard.add(id);
      }
    });
    for (BeatListener listener : listeners) {
      try {
        listener.heard(heard);
      } catch (RuntimeException e) {
        log.log(Level.ERROR, "a listener of beats failed", e);
      }
    }
  }

  private static boolean isOpen(@Nullable Outcome<BeatOutcome> outcome) {
    return outcome == null || outcome instanceof Outcome.Busy<BeatOutcome>;
  }

  private static void put(
      Map<UUID, Outcome<BeatOutcome>> outcomes,
      List<Beat> beats,
      List<Outcome<BeatOutcome>> results) {
    for (int i = 0; i < beats.size(); i++) {
      outcomes.put(beats.get(i).workspaceId(), results.get(i));
    }
  }

  /** A row it did not take is busy, or not as steady as its beat: the second look tells which. */
  private List<Outcome<BeatOutcome>> recordSteady(List<Beat> beats) {
    if (beats.isEmpty()) {
      return List.of();
    }
    Set<UUID> recorded = repository.recordSteady(beats, rules.thresholds().degradeAt());
    List<Outcome<BeatOutcome>> outcomes = new ArrayList<>(beats.size());
    for (Beat beat : beats) {
      outcomes.add(recorded.contains(beat.workspaceId()) ? ONLINE : new Outcome.Busy<>());
    }
    return outcomes;
  }

  private List<Outcome<BeatOutcome>> recordEvaluated(List<Beat> beats) {
    if (beats.isEmpty()) {
      return List.of();
    }
    List<UUID> ids = beats.stream().map(Beat::workspaceId).toList();
    Map<UUID, StoredHealth> locked =
        repository.lock(ids).stream()
            .collect(Collectors.toMap(StoredHealth::workspaceId, Function.identity()));
    Set<UUID> existing = locked.size() == ids.size() ? locked.keySet() : repository.existing(ids);
    List<EvaluatedBeat> evaluated = new ArrayList<>();
    List<Outcome<BeatOutcome>> outcomes = new ArrayList<>(beats.size());
    for (Beat beat : beats) {
      Optional<StoredHealth> stored = Optional.ofNullable(locked.get(beat.workspaceId()));
      if (stored.isEmpty()) {
        outcomes.add(
            existing.contains(beat.workspaceId())
                ? new Outcome.Busy<>()
                : done(new BeatOutcome.Unknown()));
      } else if (stored.get().status() == WorkspaceStatus.REMOVED) {
        outcomes.add(done(new BeatOutcome.Removed()));
      } else {
        EvaluatedBeat one = evaluate(beat, stored.get());
        evaluated.add(one);
        outcomes.add(done(new BeatOutcome.Recorded(one.nextStatus())));
      }
    }
    store(evaluated);
    return outcomes;
  }

  private EvaluatedBeat evaluate(Beat beat, StoredHealth stored) {
    Evidence evidence = stored.mergedWith(beat);
    return new EvaluatedBeat(
        beat, stored, evidence, rules.evaluate(stored.status(), stored.degradedReason(), evidence));
  }

  private void store(List<EvaluatedBeat> evaluated) {
    if (evaluated.isEmpty()) {
      return;
    }
    repository.recordEvaluated(evaluated);
    for (EvaluatedBeat one : evaluated) {
      if (one.beat().agentCard() != null) {
        workspaces.storeCard(one.beat().workspaceId(), one.beat().agentCard());
      }
    }
    evaluated.stream()
        .filter(one -> one.nextStatus() != one.stored().status())
        .collect(
            Collectors.groupingBy(
                Change::of,
                Collectors.mapping(one -> one.beat().workspaceId(), Collectors.toList())))
        .forEach((change, ids) ->
            transitions.tellAfterCommit(ids, change.from(), change.to(), change.reason()));
    events.recordAll(evaluated.stream().flatMap(one -> HealthEvents.of(one).stream()).toList());
  }

  /** What may be told of several at once. */
  private record Change(WorkspaceStatus from, WorkspaceStatus to, String reason) {

    static Change of(EvaluatedBeat one) {
      return new Change(one.stored().status(), one.nextStatus(), reasonOf(one));
    }
  }

  private static String reasonOf(EvaluatedBeat one) {
    @Nullable DegradedReason reason = one.nextReason();
    return reason == null ? "heartbeat" : reason.wire();
  }

  private static Outcome<BeatOutcome> done(BeatOutcome outcome) {
    return new Outcome.Done<>(outcome);
  }
}

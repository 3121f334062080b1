package dev.muster.heartbeat;

import dev.muster.event.EventType;
import dev.muster.event.Events;
import dev.muster.event.NewEvent;
import dev.muster.heartbeat.HeartbeatDecision.StoredHealth;
import dev.muster.heartbeat.Heartbeats.HeartbeatResult;
import dev.muster.heartbeat.Heartbeats.HeartbeatResult.Recorded;
import dev.muster.heartbeat.StatusRules.HealthSignals;
import dev.muster.heartbeat.StatusRules.StatusDecision.Degraded;
import dev.muster.heartbeat.StatusRules.StatusDecision.Online;
import dev.muster.heartbeat.StatusRules.StatusDecision.OtherReason;
import dev.muster.heartbeat.StatusRules.StatusDecision.Unchanged;
import dev.muster.platform.log.LimitedLog;
import dev.muster.platform.postgres.BatchOutcome;
import dev.muster.platform.postgres.BatchRetry;
import dev.muster.platform.postgres.BatchRetry.BatchHandler;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.HeartbeatStoredListener;
import dev.muster.workspace.LifecycleEvents;
import dev.muster.workspace.StatusTransitionMetrics;
import dev.muster.workspace.WorkspaceStatus;
import dev.muster.workspace.Workspaces;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
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
 * Commits a batch of heartbeats of different workspaces.
 *
 * <p>One statement stores the steady heartbeats, which are nearly all. A second transaction locks
 * the other rows, evaluates each heartbeat and stores status transitions and events.
 */
@Component
class HeartbeatBatch implements BatchHandler<Heartbeat, HeartbeatResult> {

  private static final LimitedLog log = new LimitedLog(HeartbeatBatch.class);

  /** What the statement for steady heartbeats did with one of them. */
  private sealed interface SteadyResult {

    record Stored(Recorded result) implements SteadyResult {}

    /** Nothing is stored: the row is locked or not steady, and the heartbeat is evaluated next. */
    record Skipped() implements SteadyResult {}
  }

  private final HeartbeatRepository repository;
  private final StatusRules rules;
  private final Workspaces workspaces;
  private final Events events;
  private final StatusTransitionMetrics transitions;
  private final CommitAwareTransactions transactions;
  private final List<HeartbeatStoredListener> listeners;

  HeartbeatBatch(
      HeartbeatRepository repository,
      StatusRules rules,
      Workspaces workspaces,
      Events events,
      StatusTransitionMetrics transitions,
      CommitAwareTransactions transactions,
      List<HeartbeatStoredListener> listeners) {
    this.repository = repository;
    this.rules = rules;
    this.workspaces = workspaces;
    this.events = events;
    this.transitions = transitions;
    this.transactions = transactions;
    this.listeners = listeners;
  }

  @Override
  public List<BatchOutcome<HeartbeatResult>> commit(List<Heartbeat> batch) {
    Map<UUID, BatchOutcome<HeartbeatResult>> outcomes = new HashMap<>();
    List<Heartbeat> steady =
        batch.stream()
            .filter(heartbeat -> heartbeat.agentCard() == null && rules.isSteady(heartbeat))
            .toList();
    putSteady(
        outcomes,
        steady,
        BatchRetry.run(
            steady, heartbeats -> transactions.runStatement(() -> recordSteady(heartbeats))));
    List<Heartbeat> rest =
        batch.stream().filter(heartbeat -> !outcomes.containsKey(heartbeat.workspaceId())).toList();
    putAll(
        outcomes,
        rest,
        BatchRetry.run(rest, heartbeats -> transactions.run(() -> recordEvaluated(heartbeats))));
    notifyListeners(outcomes);
    return batch.stream()
        .map(heartbeat -> Objects.requireNonNull(outcomes.get(heartbeat.workspaceId())))
        .toList();
  }

  /**
   * Notifies the listeners; a listener's failure does not change the outcomes, which are committed.
   */
  private void notifyListeners(Map<UUID, BatchOutcome<HeartbeatResult>> outcomes) {
    List<UUID> stored = new ArrayList<>(outcomes.size());
    outcomes.forEach((id, outcome) -> {
      if (outcome instanceof BatchOutcome.Done<HeartbeatResult> done
          && done.result() instanceof Recorded) {
        stored.add(id);
      }
    });
    for (HeartbeatStoredListener listener : listeners) {
      try {
        listener.heartbeatsStored(stored);
      } catch (RuntimeException e) {
        log.log(Level.ERROR, "a listener of heartbeats failed", e);
      }
    }
  }

  /** Adds the outcomes of steady heartbeats, but none for those that were skipped. */
  private static void putSteady(
      Map<UUID, BatchOutcome<HeartbeatResult>> outcomes,
      List<Heartbeat> heartbeats,
      List<BatchOutcome<SteadyResult>> results) {
    for (int i = 0; i < heartbeats.size(); i++) {
      UUID id = heartbeats.get(i).workspaceId();
      switch (results.get(i)) {
        case BatchOutcome.Done<SteadyResult>(SteadyResult.Stored(Recorded result)) ->
            outcomes.put(id, done(result));
        case BatchOutcome.Done<SteadyResult>(SteadyResult.Skipped()) -> {}
        case BatchOutcome.Failed<SteadyResult>(RuntimeException cause) ->
            outcomes.put(id, new BatchOutcome.Failed<>(cause));
        case BatchOutcome.Locked<SteadyResult>() ->
            throw new IllegalStateException("a steady heartbeat is stored or skipped");
      }
    }
  }

  private static void putAll(
      Map<UUID, BatchOutcome<HeartbeatResult>> outcomes,
      List<Heartbeat> heartbeats,
      List<BatchOutcome<HeartbeatResult>> results) {
    for (int i = 0; i < heartbeats.size(); i++) {
      outcomes.put(heartbeats.get(i).workspaceId(), results.get(i));
    }
  }

  private List<BatchOutcome<SteadyResult>> recordSteady(List<Heartbeat> heartbeats) {
    if (heartbeats.isEmpty()) {
      return List.of();
    }
    Map<UUID, Recorded> recorded =
        repository.recordSteady(heartbeats, rules.thresholds().degradeAt());
    List<BatchOutcome<SteadyResult>> outcomes = new ArrayList<>(heartbeats.size());
    for (Heartbeat heartbeat : heartbeats) {
      @Nullable Recorded result = recorded.get(heartbeat.workspaceId());
      outcomes.add(
          new BatchOutcome.Done<>(
              result == null ? new SteadyResult.Skipped() : new SteadyResult.Stored(result)));
    }
    return outcomes;
  }

  private List<BatchOutcome<HeartbeatResult>> recordEvaluated(List<Heartbeat> heartbeats) {
    if (heartbeats.isEmpty()) {
      return List.of();
    }
    List<UUID> ids = heartbeats.stream().map(Heartbeat::workspaceId).toList();
    Map<UUID, StoredHealth> locked =
        repository.lock(ids).stream()
            .collect(Collectors.toMap(StoredHealth::workspaceId, Function.identity()));
    Set<UUID> existing = locked.size() == ids.size() ? locked.keySet() : repository.existing(ids);
    Map<UUID, HeartbeatDecision> evaluated = new LinkedHashMap<>();
    for (Heartbeat heartbeat : heartbeats) {
      @Nullable StoredHealth stored = locked.get(heartbeat.workspaceId());
      if (stored != null && stored.status() != WorkspaceStatus.REMOVED) {
        evaluated.put(heartbeat.workspaceId(), evaluate(heartbeat, stored));
      }
    }
    Map<UUID, Recorded> recorded = evaluated.isEmpty() ? Map.of() : store(evaluated);
    return ids.stream()
        .<BatchOutcome<HeartbeatResult>>map(id -> {
          @Nullable Recorded result = recorded.get(id);
          if (result != null) {
            return done(result);
          }
          if (locked.containsKey(id)) {
            return done(new HeartbeatResult.Removed());
          }
          return existing.contains(id)
              ? new BatchOutcome.Locked<>()
              : done(new HeartbeatResult.Unknown());
        })
        .toList();
  }

  private HeartbeatDecision evaluate(Heartbeat heartbeat, StoredHealth stored) {
    HealthSignals signals = stored.mergedWith(heartbeat);
    return new HeartbeatDecision(
        heartbeat,
        stored,
        signals,
        rules.evaluate(stored.status(), stored.degradedReason(), signals));
  }

  private Map<UUID, Recorded> store(Map<UUID, HeartbeatDecision> decisions) {
    Map<UUID, HeartbeatRepository.Stored> stored = repository.recordEvaluated(decisions);
    Collection<HeartbeatDecision> evaluated = decisions.values();
    for (HeartbeatDecision one : evaluated) {
      if (one.heartbeat().agentCard() != null) {
        workspaces.storeCard(one.heartbeat().workspaceId(), one.heartbeat().agentCard());
      }
    }
    evaluated.stream()
        .filter(one -> one.nextStatus() != one.stored().status())
        .collect(
            Collectors.groupingBy(
                Change::of,
                Collectors.mapping(one -> one.heartbeat().workspaceId(), Collectors.toList())))
        .forEach((change, ids) ->
            transitions.publishAfterCommit(ids, change.from(), change.to(), change.reason()));
    events.recordAll(
        evaluated.stream()
            .flatMap(one ->
                eventOf(
                    one,
                    Objects.requireNonNull(stored.get(one.heartbeat().workspaceId())).statusSince())
                    .stream())
            .toList());
    Map<UUID, Recorded> recorded = new HashMap<>();
    stored.forEach((id, one) -> recorded.put(id, one.result()));
    return recorded;
  }

  /** Status transitions that are published together. */
  private record Change(WorkspaceStatus from, WorkspaceStatus to, String reason) {

    static Change of(HeartbeatDecision one) {
      return new Change(one.stored().status(), one.nextStatus(), reasonOf(one));
    }
  }

  private static String reasonOf(HeartbeatDecision one) {
    @Nullable DegradedReason reason = one.nextReason();
    return reason == null ? "heartbeat" : reason.wire();
  }

  /** Returns the event of a status decision, if the decision has one (R4.2). */
  private static Optional<NewEvent> eventOf(HeartbeatDecision evaluated, Instant since) {
    return switch (evaluated.decision()) {
      case Unchanged() -> Optional.empty();
      case OtherReason(DegradedReason reason) -> Optional.empty();
      case Degraded(DegradedReason reason) ->
          Optional.of(
              event(
                  EventType.WORKSPACE_DEGRADED,
                  evaluated,
                  since,
                  degradedFields(evaluated, reason)));
      case Online(WorkspaceStatus from) ->
          Optional.of(
              event(EventType.WORKSPACE_ONLINE, evaluated, since, onlineFields(evaluated, from)));
    };
  }

  private static Map<String, Object> degradedFields(
      HeartbeatDecision evaluated, DegradedReason reason) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", evaluated.stored().name());
    switch (reason) {
      case RUNTIME_WEDGED -> fields.put("runtime_state", evaluated.heartbeat().runtimeState());
      case ERROR_RATE -> fields.put("error_rate", evaluated.signals().errorRate());
    }
    fields.put("sample_error", evaluated.nextSampleError());
    fields.put("hint", reason.hint());
    return fields;
  }

  private static Map<String, Object> onlineFields(
      HeartbeatDecision evaluated, WorkspaceStatus from) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", evaluated.stored().name());
    fields.put("recovered_from", from);
    return fields;
  }

  private static NewEvent event(
      EventType type, HeartbeatDecision evaluated, Instant since, Map<String, Object> fields) {
    return LifecycleEvents.of(
        type,
        evaluated.stored().workspaceId(),
        evaluated.stored().status(),
        evaluated.nextStatus(),
        since,
        evaluated.nextReason(),
        fields);
  }

  private static BatchOutcome<HeartbeatResult> done(HeartbeatResult outcome) {
    return new BatchOutcome.Done<>(outcome);
  }
}

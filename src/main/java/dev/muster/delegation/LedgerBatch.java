package dev.muster.delegation;

import dev.muster.delegation.LedgerRepository.Move;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Applies commands one by one, in memory, to delegations whose rows the transaction holds. */
final class LedgerBatch {

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

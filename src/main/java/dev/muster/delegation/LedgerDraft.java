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

/** What a transaction makes of delegations whose rows it holds, wish by wish. */
final class LedgerDraft {

  private final Map<String, LockedDelegation> held = new HashMap<>();

  /** As they were before the first of their changes. */
  private final Map<String, DelegationStatus> changed = new LinkedHashMap<>();

  private final List<Transition> transitions = new ArrayList<>();

  LedgerDraft(Collection<LockedDelegation> locked) {
    locked.forEach(one -> held.put(one.delegationId(), one));
  }

  boolean holds(String delegationId) {
    return held.containsKey(delegationId);
  }

  Granted add(Wish wish) {
    @Nullable LockedDelegation was = held.get(wish.delegationId());
    if (was == null || !wish.by().mayTouch(was)) {
      return new Granted.Unknown();
    }
    Optional<Progress> next = was.progress().after(wish.change(), was.span(), was.now());
    if (next.isEmpty()) {
      return new Granted.Invalid(was.status());
    }
    if (next.get().equals(was.progress())) {
      return new Granted.Done(was.status(), false);
    }
    LockedDelegation now = was.with(next.get());
    held.put(wish.delegationId(), now);
    changed.putIfAbsent(wish.delegationId(), was.status());
    boolean moved = now.status() != was.status();
    if (moved) {
      transitions.add(new Transition(was.status(), now, isHeard(wish.change())));
    }
    return new Granted.Done(now.status(), moved);
  }

  private static boolean isHeard(Change change) {
    return change instanceof Change.Completed(WholeText result, boolean heard) && heard;
  }

  List<Move> moves() {
    return changed.entrySet().stream()
        .map(was -> new Move(was.getValue(), Objects.requireNonNull(held.get(was.getKey()))))
        .toList();
  }

  /** In the order in which they happened. */
  List<Transition> transitions() {
    return transitions;
  }
}

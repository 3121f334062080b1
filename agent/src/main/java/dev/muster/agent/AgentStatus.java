package dev.muster.agent;

import dev.muster.agent.RequestCounter.Counts;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Collects what heartbeats report besides errors. Safe from any thread. */
final class AgentStatus {

  private final long startedAt = System.nanoTime();
  private final Map<String, Boolean> capabilities = new ConcurrentHashMap<>();
  private final Set<String> delegations = ConcurrentHashMap.newKeySet();
  private volatile Optional<Duration> idleTimeout = Optional.empty();

  // guarded by this
  private Optional<Integer> activeTasks = Optional.empty();
  private Optional<String> currentTask = Optional.empty();

  synchronized void activeTasks(int count) {
    activeTasks = Optional.of(Math.max(0, count));
  }

  synchronized void currentTask(String task) {
    currentTask = Optional.of(task);
  }

  /** Counts a task as begun. The end of the last task clears {@code currentTask}. */
  synchronized void begun(String task) {
    activeTasks = Optional.of(activeTasks.orElse(0) + 1);
    currentTask = Optional.of(task);
  }

  synchronized void ended() {
    int left = Math.max(0, activeTasks.orElse(0) - 1);
    activeTasks = Optional.of(left);
    if (left == 0) {
      currentTask = Optional.of("");
    }
  }

  void capability(String name, boolean has) {
    capabilities.put(name, has);
  }

  void idleTimeout(Duration limit) {
    idleTimeout = Optional.of(limit);
  }

  void worksOn(String delegationId) {
    delegations.add(delegationId);
  }

  void leaves(String delegationId) {
    delegations.remove(delegationId);
  }

  void worksOnOnly(Collection<String> delegationIds) {
    delegations.retainAll(delegationIds);
    delegations.addAll(delegationIds);
  }

  synchronized Heartbeat heartbeat(String wedge, Counts counts) {
    return new Heartbeat(
        wedge,
        counts.isEmpty() ? Optional.empty() : Optional.of(counts.errorRate()),
        counts.sample(),
        activeTasks,
        currentTask,
        Optional.of(Duration.ofNanos(System.nanoTime() - startedAt)),
        capabilities,
        idleTimeout,
        List.copyOf(delegations));
  }
}

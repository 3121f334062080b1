package dev.muster.agent;

import dev.muster.agent.AgentStatus.RequestCounter.Counts;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Collects what heartbeats report. Safe from any thread. */
final class AgentStatus {

  /** Counts successes and failures since the last accepted heartbeat. Safe from any thread. */
  static final class RequestCounter {

    /** The counts that a heartbeat reports; {@code sample} is the text of the latest failure. */
    record Counts(long successes, long failures, String sample) {

      boolean isEmpty() {
        return successes + failures == 0;
      }

      double errorRate() {
        return (double) failures / (successes + failures);
      }
    }

    private static final int MAX_SAMPLE_LENGTH = 4_096;

    private long successes;
    private long failures;
    private String sample = "";

    synchronized void succeeded() {
      successes++;
    }

    synchronized void failed(@Nullable String text) {
      failures++;
      String said = text == null || text.isBlank() ? "failed without a message" : text;
      sample = said.length() <= MAX_SAMPLE_LENGTH ? said : said.substring(0, MAX_SAMPLE_LENGTH);
    }

    synchronized Counts now() {
      return new Counts(successes, failures, failures == 0 ? "" : sample);
    }

    /** Subtracts the counts of an accepted heartbeat; later ones stay for the next heartbeat. */
    synchronized void reported(Counts counts) {
      successes -= counts.successes();
      failures -= counts.failures();
    }
  }

  private final long startedAt = System.nanoTime();
  private final RequestCounter requests = new RequestCounter();
  private final Map<String, Boolean> capabilities = new ConcurrentHashMap<>();
  private final Set<String> delegations = ConcurrentHashMap.newKeySet();
  private volatile Optional<Duration> idleTimeout = Optional.empty();

  // guarded by this
  private Optional<Integer> activeTasks = Optional.empty();
  private Optional<String> currentTask = Optional.empty();

  RequestCounter requests() {
    return requests;
  }

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

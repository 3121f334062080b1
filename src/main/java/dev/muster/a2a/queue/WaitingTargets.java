package dev.muster.a2a.queue;

import dev.muster.heartbeat.BeatListener;
import dev.muster.platform.jobs.DeliveryJobs;
import dev.muster.platform.loop.BackgroundLoop;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/**
 * Knows for which targets messages wait, so that a beat of any other costs a look into memory, and
 * has messages delivered to those of them that were heard of.
 *
 * <p>What was put into the queue here is known at once, and what others put there within a second;
 * what slips through is the next pass's.
 */
@Component
class WaitingTargets implements BeatListener {

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  /** A look that takes long is taken less often: never more than a twentieth of the time. */
  private static final int IDLE_SHARE = 20;

  private static final int MOST = 100_000;

  private final LineRepository lines;
  private final DeliveryJobs jobs;
  private final TargetDeliveries deliveries;
  private final Set<UUID> heard = ConcurrentHashMap.newKeySet();
  private volatile Set<UUID> known = ConcurrentHashMap.newKeySet();

  /** What becomes {@link #known}: what is put into the queue during a look is added to both. */
  private volatile Set<UUID> arriving = known;

  private long nextLookAt = System.nanoTime();
  private final BackgroundLoop loop;

  WaitingTargets(LineRepository lines, DeliveryJobs jobs, TargetDeliveries deliveries) {
    this.lines = lines;
    this.jobs = jobs;
    this.deliveries = deliveries;
    this.loop = BackgroundLoop.start("queue-kicks", BETWEEN_LOOKS, this::run);
  }

  /** After the commit. */
  void added(Collection<UUID> targetIds) {
    known.addAll(targetIds);
    arriving.addAll(targetIds);
    targetIds.forEach(deliveries::lookAgain);
  }

  @Override
  public void heard(Collection<UUID> workspaceIds) {
    Set<UUID> waiting = known;
    if (waiting.isEmpty()) {
      return;
    }
    boolean any = false;
    for (UUID id : workspaceIds) {
      if (waiting.contains(id)) {
        any |= heard.add(id);
      }
    }
    if (any) {
      loop.wake();
    }
  }

  private void run() {
    List<UUID> kicked = List.copyOf(heard);
    if (!kicked.isEmpty()) {
      // taken out first: a beat that comes during the statement is another one
      kicked.forEach(heard::remove);
      kick(kicked);
    }
    if (System.nanoTime() - nextLookAt >= 0) {
      look();
    }
  }

  private void kick(List<UUID> targetIds) {
    try {
      jobs.schedule(
          TargetDeliveries.JOB, targetIds.stream().map(UUID::toString).collect(Collectors.toSet()));
      targetIds.forEach(deliveries::lookAgain);
    } catch (RuntimeException e) {
      heard.addAll(targetIds);
      throw e;
    }
  }

  private void look() {
    long start = System.nanoTime();
    Set<UUID> found = ConcurrentHashMap.newKeySet();
    arriving = found;
    found.addAll(lines.targets(MOST));
    known = found;
    long end = System.nanoTime();
    nextLookAt = end + Math.max(BETWEEN_LOOKS.toNanos(), IDLE_SHARE * (end - start));
  }

  @PreDestroy
  void close() {
    loop.close();
  }
}

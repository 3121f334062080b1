package dev.muster.platform.postgres;

import dev.muster.platform.work.BackgroundLoop;
import dev.muster.platform.work.BackgroundLoops;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Service;

/**
 * Tracks uptime gaps, so that no workspace is penalized for them (R5.2).
 *
 * <p>Each replica ticks every few seconds while it is healthy: its port responds, and its last
 * heartbeat batch did not fail ({@link ReplicaHealthCheck}). Without any tick for longer than
 * {@link UptimeTiming#gap()}, the control plane counts as down. It is then up since the next tick.
 */
@Service
public class ControlPlaneUptime {

  /**
   * The shortest uptime gap that counts.
   *
   * <p>A shorter one costs agents at most a sixth of the time after which they are stale.
   */
  public record UptimeTiming(Duration gap) {

    private static final Duration MIN_GAP = Duration.ofSeconds(3);
    private static final Duration MAX_GAP = Duration.ofSeconds(30);
    private static final int TICKS_IN_A_GAP = 6;

    /**
     * Returns a gap of a sixth of {@code staleAfter}, from 3 s to 30 s.
     *
     * <p>No pace shortens it: a shorter pause of the machine would count as an outage.
     */
    public static UptimeTiming forStaleAfter(Duration staleAfter) {
      Duration sixth = staleAfter.dividedBy(6);
      Duration atLeast = sixth.compareTo(MIN_GAP) < 0 ? MIN_GAP : sixth;
      return new UptimeTiming(atLeast.compareTo(MAX_GAP) > 0 ? MAX_GAP : atLeast);
    }

    Duration tick() {
      return gap.dividedBy(TICKS_IN_A_GAP);
    }
  }

  /**
   * Checks one precondition for serving agents.
   *
   * <p>A replica is healthy only while all beans of this type are.
   */
  public interface ReplicaHealthCheck {

    boolean isHealthy();
  }

  private final UptimeRepository repository;
  private final UptimeTiming timing;
  private final List<ReplicaHealthCheck> checks;
  private final BackgroundLoop ticks;

  ControlPlaneUptime(
      UptimeRepository repository,
      UptimeTiming timing,
      List<ReplicaHealthCheck> checks,
      BackgroundLoops loops) {
    this.repository = repository;
    this.timing = timing;
    this.checks = checks;
    this.ticks = loops.start("uptime-ticks", timing.tick(), this::tickIfHealthy);
  }

  /**
   * Ticks, if this replica is healthy, and returns the uptime for rules that judge silence.
   *
   * <p>A caller takes both {@code upSince} and {@code now} from the result. A process that is
   * suspended in between then judges by a time at which it was running. Empty when no replica has
   * ticked lately.
   */
  public Optional<Uptime> tickAndRead() {
    if (healthy()) {
      return Optional.of(repository.tick(timing.gap()));
    }
    return Optional.of(repository.read()).filter(uptime -> uptime.isFresh(timing.gap()));
  }

  /** Returns the stored uptime, without a tick. */
  public Uptime read() {
    return repository.read();
  }

  /** Begins a hold; returns false if one is active. Joins the caller's transaction. */
  public boolean beginHold(Instant since) {
    return repository.beginHold(since);
  }

  /** Ends the hold; returns false if none was active. */
  public boolean endHold() {
    return repository.endHold();
  }

  private void tickIfHealthy() {
    if (healthy()) {
      repository.tick(timing.gap());
    }
  }

  private boolean healthy() {
    return checks.stream().allMatch(ReplicaHealthCheck::isHealthy);
  }

  @PreDestroy
  void close() {
    ticks.close();
  }
}

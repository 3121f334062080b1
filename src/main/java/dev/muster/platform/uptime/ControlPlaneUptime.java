package dev.muster.platform.uptime;

import dev.muster.platform.loop.BackgroundLoop;
import jakarta.annotation.PreDestroy;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Service;

/**
 * Knows our own absences, so that nobody is blamed for them (R5.2).
 *
 * <p>Each replica says every few seconds that the control plane is alive, if agents could really
 * have reached it: its port answers and what it was told last is stored. When nobody has said so
 * for longer than a moment, the control plane was away, and is up since it says so again.
 */
@Service
public class ControlPlaneUptime {

  private final UptimeRepository repository;
  private final UptimeTiming rhythm;
  private final List<ReplicaHealthCheck> signs;
  private final BackgroundLoop ticks;

  ControlPlaneUptime(
      UptimeRepository repository, UptimeTiming rhythm, List<ReplicaHealthCheck> signs) {
    this.repository = repository;
    this.rhythm = rhythm;
    this.signs = signs;
    this.ticks = BackgroundLoop.start("uptime-ticks", rhythm.tick(), this::tickIfFit);
  }

  /**
   * What a rule that blames others may go by, after a tick of our own: it takes both {@code
   * upSince} and {@code now} from here, so that a process that is suspended in between judges by a
   * time at which it was awake. Empty when nobody is known to be up.
   */
  public Optional<Uptime> look() {
    if (healthy()) {
      return Optional.of(repository.tick(rhythm.gap()));
    }
    return Optional.of(repository.read()).filter(uptime -> uptime.isFresh(rhythm.gap()));
  }

  /** As it is stored, without a tick. */
  public Uptime read() {
    return repository.read();
  }

  /** Whether this began it; in the caller's transaction, if there is one. */
  public boolean beginHold(Instant since) {
    return repository.beginHold(since);
  }

  /** Whether there was one. */
  public boolean endHold() {
    return repository.endHold();
  }

  private void tickIfFit() {
    if (healthy()) {
      repository.tick(rhythm.gap());
    }
  }

  private boolean healthy() {
    return signs.stream().allMatch(ReplicaHealthCheck::isGood);
  }

  @PreDestroy
  void close() {
    ticks.close();
  }
}

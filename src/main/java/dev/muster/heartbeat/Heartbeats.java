package dev.muster.heartbeat;

import dev.muster.platform.commit.GroupCommit;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.List;
import org.springframework.stereotype.Service;

/** Takes beats, each stored before its caller hears so. */
@Service
class Heartbeats {

  private static final Duration FAILURES_COUNT_FOR = Duration.ofSeconds(15);

  private final GroupCommit<Beat, BeatOutcome> commits;
  private final BeatNews news;
  private final List<WorkClaims> claims;
  private final Counter recorded;

  Heartbeats(BeatBatch batch, BeatNews news, List<WorkClaims> claims, MeterRegistry metrics) {
    this.news = news;
    this.claims = claims;
    this.commits = new GroupCommit<>("heartbeat", Beat::workspaceId, batch, metrics);
    this.recorded =
        Counter.builder("muster.heartbeats").description("Heartbeats stored").register(metrics);
  }

  /**
   * Returns after the commit; throws {@code UNAVAILABLE} when storing is not possible or not
   * certain in time.
   */
  BeatOutcome record(Beat beat) {
    BeatOutcome outcome = commits.submit(beat);
    if (outcome instanceof BeatOutcome.Recorded) {
      recorded.increment();
      news.heard(beat.workspaceId());
      if (!beat.delegations().isEmpty()) {
        claims.forEach(listener -> listener.claimed(beat.workspaceId(), beat.delegations()));
      }
    }
    return outcome;
  }

  /** False while the last beats could not be stored, and for a moment after. */
  boolean areStored() {
    return !commits.failedWithin(FAILURES_COUNT_FOR);
  }

  @PreDestroy
  void close() {
    commits.close();
  }
}

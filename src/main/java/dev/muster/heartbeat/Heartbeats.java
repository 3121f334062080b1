package dev.muster.heartbeat;

import dev.muster.platform.postgres.GroupCommit;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.Pace;
import dev.muster.workspace.WorkspaceStatus;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Records heartbeats; each is committed before its caller gets the result. */
@Service
class Heartbeats {

  private static final Duration FAILURES_COUNT_FOR = Duration.ofSeconds(15);

  /** The result of recording a heartbeat. */
  sealed interface HeartbeatResult {

    /**
     * Stored.
     *
     * @param status the one at the commit
     * @param restartRequestedAt when a restart was requested that has not happened yet
     */
    record Recorded(WorkspaceStatus status, @Nullable Instant restartRequestedAt)
        implements HeartbeatResult {}

    /** The workspace is removed; nothing is stored. */
    record Removed() implements HeartbeatResult {}

    record Unknown() implements HeartbeatResult {}
  }

  private final GroupCommit<Heartbeat, HeartbeatResult> commits;
  private final HeartbeatEventRelay relay;
  private final List<DelegationHeartbeatListener> delegationListeners;
  private final Counter recorded;
  private final Duration failuresCountFor;

  Heartbeats(
      HeartbeatBatch batch,
      HeartbeatEventRelay relay,
      List<DelegationHeartbeatListener> delegationListeners,
      MeterRegistry metrics,
      Pace pace,
      BackgroundLoops loops) {
    this.failuresCountFor = pace.of(FAILURES_COUNT_FOR);
    this.relay = relay;
    this.delegationListeners = delegationListeners;
    this.commits = new GroupCommit<>("heartbeat", Heartbeat::workspaceId, batch, loops, metrics);
    this.recorded =
        Counter.builder("muster.heartbeats").description("Heartbeats stored").register(metrics);
  }

  /**
   * Returns after the commit.
   *
   * <p>Throws {@code UNAVAILABLE} when the heartbeat cannot be stored in time or the commit outcome
   * is unknown.
   */
  HeartbeatResult record(Heartbeat heartbeat) {
    HeartbeatResult outcome = commits.submit(heartbeat);
    if (outcome instanceof HeartbeatResult.Recorded) {
      recorded.increment();
      relay.heartbeatStored(heartbeat.workspaceId());
      if (!heartbeat.delegations().isEmpty()) {
        delegationListeners.forEach(listener ->
            listener.reportedInProgress(heartbeat.workspaceId(), heartbeat.delegations()));
      }
    }
    return outcome;
  }

  /**
   * Returns false while a database outage prevents storing, at most 15 s after the last failure.
   */
  boolean storageHealthy() {
    return !commits.failedWithin(failuresCountFor);
  }

  @PreDestroy
  void close() {
    commits.close();
  }
}

package dev.muster.workspace;

import dev.muster.platform.log.LineBudget;
import dev.muster.platform.postgres.AfterCommit;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Counts and logs status transitions once they are committed. */
@Component
public class StatusTransitionMetrics {

  private static final Logger log = LoggerFactory.getLogger(StatusTransitionMetrics.class);

  private final LineBudget lines = new LineBudget(System::nanoTime);
  private final MeterRegistry metrics;

  StatusTransitionMetrics(MeterRegistry metrics) {
    this.metrics = metrics;
  }

  /**
   * Counts and logs one transition after the current transaction commits.
   *
   * @param reason one of a few fixed words, because it becomes a metric tag
   */
  public void publishAfterCommit(
      UUID workspaceId, WorkspaceStatus from, WorkspaceStatus to, String reason) {
    publishAfterCommit(List.of(workspaceId), from, to, reason);
  }

  /** As above, for many workspaces; above the log budget one line counts the rest. */
  public void publishAfterCommit(
      List<UUID> workspaceIds, WorkspaceStatus from, WorkspaceStatus to, String reason) {
    AfterCommit.run(() -> publish(workspaceIds, from, to, reason));
  }

  private void publish(
      List<UUID> workspaceIds, WorkspaceStatus from, WorkspaceStatus to, String reason) {
    Counter.builder("muster.status.transitions")
        .description("Changes of the status of workspaces")
        .tags("from", from.wire(), "to", to.wire(), "reason", reason)
        .register(metrics)
        .increment(workspaceIds.size());
    int granted = lines.grant(workspaceIds.size());
    for (UUID id : workspaceIds.subList(0, granted)) {
      log.info("workspace {}: {} -> {} ({})", id, from.wire(), to.wire(), reason);
    }
    if (granted < workspaceIds.size()) {
      log.info(
          "{} more workspaces: {} -> {} ({})",
          workspaceIds.size() - granted,
          from.wire(),
          to.wire(),
          reason);
    }
  }
}

package dev.muster.runtime;

import dev.muster.event.ReplicaCallReceiver;
import dev.muster.event.ReplicaCalls;
import dev.muster.event.ReplicaTopic;
import java.util.Set;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** Tells of streams that have grown: to the watchers here, and to the other replicas. */
@Component
class RuntimeSignals implements ReplicaCallReceiver {

  private final ReplicaCalls calls;
  private final RuntimeNews news;

  RuntimeSignals(ReplicaCalls calls, RuntimeNews news) {
    this.calls = calls;
    this.news = news;
  }

  /** Here, by a transaction that is committed. */
  void grown(Set<UUID> workspaceIds) {
    news.grown(workspaceIds);
    calls.call(ReplicaTopic.RUNTIME, workspaceIds);
  }

  @Override
  public ReplicaTopic topic() {
    return ReplicaTopic.RUNTIME;
  }

  @Override
  public void called(Set<UUID> workspaceIds) {
    news.grown(workspaceIds);
  }

  @Override
  public void calledAboutAll() {
    news.anyMayHaveGrown();
  }
}

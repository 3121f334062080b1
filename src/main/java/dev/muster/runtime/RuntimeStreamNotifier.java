package dev.muster.runtime;

import dev.muster.event.ReplicaNotificationListener;
import dev.muster.event.ReplicaNotifier;
import dev.muster.event.ReplicaTopic;
import java.util.Set;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** Tells of streams that have grown: to the watchers here, and to the other replicas. */
@Component
class RuntimeStreamNotifier implements ReplicaNotificationListener {

  private final ReplicaNotifier calls;
  private final RuntimeEventRelay relay;

  RuntimeStreamNotifier(ReplicaNotifier calls, RuntimeEventRelay relay) {
    this.calls = calls;
    this.relay = relay;
  }

  /** Here, by a transaction that is committed. */
  void streamsChanged(Set<UUID> workspaceIds) {
    relay.streamsChanged(workspaceIds);
    calls.call(ReplicaTopic.RUNTIME, workspaceIds);
  }

  @Override
  public ReplicaTopic topic() {
    return ReplicaTopic.RUNTIME;
  }

  @Override
  public void called(Set<UUID> workspaceIds) {
    relay.streamsChanged(workspaceIds);
  }

  @Override
  public void onResync() {
    relay.anyMayHaveGrown();
  }
}

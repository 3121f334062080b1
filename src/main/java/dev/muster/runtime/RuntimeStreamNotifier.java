package dev.muster.runtime;

import dev.muster.event.ReplicaNotificationListener;
import dev.muster.event.ReplicaNotifier;
import dev.muster.event.ReplicaTopic;
import java.util.Set;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** Notifies the local relay and the other replicas of changed streams. */
@Component
class RuntimeStreamNotifier implements ReplicaNotificationListener {

  private final ReplicaNotifier calls;
  private final RuntimeEventRelay relay;

  RuntimeStreamNotifier(ReplicaNotifier calls, RuntimeEventRelay relay) {
    this.calls = calls;
    this.relay = relay;
  }

  /** Called on this replica after the commit. */
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
    relay.resync();
  }
}

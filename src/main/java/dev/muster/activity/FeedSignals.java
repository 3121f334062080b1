package dev.muster.activity;

import dev.muster.event.ReplicaCallReceiver;
import dev.muster.event.ReplicaCalls;
import dev.muster.event.ReplicaTopic;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** Tells the listeners here, and the other replicas, which feeds have grown. */
@Component
class FeedSignals implements ReplicaCallReceiver {

  private final ReplicaCalls calls;
  private final List<FeedListener> listeners;

  FeedSignals(ReplicaCalls calls, List<FeedListener> listeners) {
    this.calls = calls;
    this.listeners = listeners;
  }

  /** Here, by a transaction that is committed. */
  void appended(List<NewActivity> rows) {
    Set<UUID> queued =
        rows.stream()
            .filter(row ->
                row.admission() != null && row.admission().way() == MessageAdmission.Way.QUEUE)
            .map(NewActivity::workspaceId)
            .collect(Collectors.toSet());
    if (!queued.isEmpty()) {
      listeners.forEach(listener -> listener.queued(queued));
    }
    if (!rows.isEmpty()) {
      grown(rows.stream().map(NewActivity::workspaceId).collect(Collectors.toSet()));
    }
  }

  /** Here, by a transaction that is committed. */
  void grown(Set<UUID> workspaceIds) {
    listeners.forEach(listener -> listener.grown(workspaceIds));
    calls.call(ReplicaTopic.FEEDS, workspaceIds);
  }

  @Override
  public ReplicaTopic topic() {
    return ReplicaTopic.FEEDS;
  }

  @Override
  public void called(Set<UUID> workspaceIds) {
    listeners.forEach(listener -> listener.grownElsewhere(workspaceIds));
  }

  @Override
  public void calledAboutAll() {
    listeners.forEach(FeedListener::anyMayHaveGrown);
  }
}

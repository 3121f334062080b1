package dev.muster.message.store;

import dev.muster.event.ReplicaNotifier;
import dev.muster.event.ReplicaNotifier.ReplicaNotificationListener;
import dev.muster.event.ReplicaNotifier.ReplicaTopic;
import dev.muster.message.AppendResult;
import dev.muster.message.NewActivity;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** Notifies the listeners of this replica, and the other replicas, of changed feeds. */
@Component
public class FeedNotifier implements ReplicaNotificationListener {

  private final ReplicaNotifier notifier;
  private final List<FeedChangeListener> listeners;

  FeedNotifier(ReplicaNotifier notifier, List<FeedChangeListener> listeners) {
    this.notifier = notifier;
    this.listeners = listeners;
  }

  /** A row and what it was stored as. */
  record StoredRow(NewActivity row, AppendResult.Stored as) {}

  /** Notifies of new rows, after a commit of this replica. */
  void appended(List<StoredRow> rows) {
    // first, since the polls that are woken next look for them
    rows.forEach(
        stored -> listeners.forEach(listener -> listener.appended(stored.row(), stored.as())));
    Set<UUID> queued =
        rows.stream()
            .filter(stored -> stored.as().isQueued())
            .map(stored -> stored.row().workspaceId())
            .collect(Collectors.toSet());
    if (!queued.isEmpty()) {
      listeners.forEach(listener -> listener.queued(queued));
    }
    if (!rows.isEmpty()) {
      feedsChanged(
          rows.stream().map(stored -> stored.row().workspaceId()).collect(Collectors.toSet()));
    }
  }

  /** Notifies of changed feeds, after a commit of this replica. */
  public void feedsChanged(Set<UUID> workspaceIds) {
    listeners.forEach(listener -> listener.feedsChanged(workspaceIds));
    notifier.send(ReplicaTopic.FEEDS, workspaceIds);
  }

  @Override
  public ReplicaTopic topic() {
    return ReplicaTopic.FEEDS;
  }

  @Override
  public void onNotification(Set<UUID> workspaceIds) {
    listeners.forEach(listener -> listener.changedElsewhere(workspaceIds));
  }

  @Override
  public void onResync() {
    listeners.forEach(FeedChangeListener::resync);
  }
}

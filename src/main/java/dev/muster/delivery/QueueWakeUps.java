package dev.muster.delivery;

import dev.muster.activity.FeedChangeListener;
import dev.muster.event.EventLog.RecordedEventListener;
import dev.muster.event.EventType;
import dev.muster.event.RecordedEvent;
import dev.muster.heartbeat.HeartbeatStoredListener;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/**
 * Tracks the targets with waiting messages, and the targets that may take messages now. A heartbeat
 * of any other workspace costs only a memory lookup.
 */
@Component
class QueueWakeUps implements HeartbeatStoredListener, FeedChangeListener, RecordedEventListener {

  private final Set<UUID> woken = ConcurrentHashMap.newKeySet();
  private volatile Set<UUID> waitedFor = ConcurrentHashMap.newKeySet();

  /** Replaces {@link #waitedFor} when a scan ends; targets queued during the scan go into both. */
  private volatile Set<UUID> arriving = waitedFor;

  private volatile Runnable wakeWorker = () -> {};

  void wakeWith(Runnable wake) {
    wakeWorker = wake;
  }

  @Override
  public void queued(Set<UUID> targetIds) {
    waitedFor.addAll(targetIds);
    arriving.addAll(targetIds);
    wake(targetIds);
  }

  /** Wakes the targets that have waiting messages, and ignores all others. */
  @Override
  public void heartbeatsStored(Collection<UUID> workspaceIds) {
    Set<UUID> known = waitedFor;
    if (!known.isEmpty()) {
      wake(workspaceIds.stream().filter(known::contains).toList());
    }
  }

  @Override
  public void follow(List<RecordedEvent> events) {
    heartbeatsStored(RecordedEvent.workspacesOf(events, EventType.WORKSPACE_ONLINE));
  }

  void wake(Collection<UUID> targetIds) {
    if (woken.addAll(targetIds)) {
      wakeWorker.run();
    }
  }

  /**
   * Returns the targets woken since the last call. A target woken from now on is returned again.
   */
  List<UUID> takeWoken() {
    List<UUID> taken = List.copyOf(woken);
    taken.forEach(woken::remove);
    return taken;
  }

  /** Keeps these targets for the next {@link #takeWoken}. */
  void leaveWoken(Collection<UUID> targetIds) {
    woken.addAll(targetIds);
  }

  /**
   * Begins a scan; the caller adds all targets with waiting messages and calls {@link #endLook}.
   */
  Set<UUID> beginLook() {
    Set<UUID> found = ConcurrentHashMap.newKeySet();
    arriving = found;
    return found;
  }

  void endLook(Set<UUID> found) {
    waitedFor = found;
  }
}

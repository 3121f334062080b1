package dev.muster.message.store;

import dev.muster.event.EventLog.RecordedEventListener;
import dev.muster.event.EventType;
import dev.muster.event.RecordedEvent;
import dev.muster.workspace.HeartbeatStoredListener;
import java.util.Collection;
import java.util.LinkedHashSet;
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
public class QueueWakeUps
    implements HeartbeatStoredListener, FeedChangeListener, RecordedEventListener {

  /** In the order in which they are to be looked at; guarded by itself. */
  private final LinkedHashSet<UUID> woken = new LinkedHashSet<>();

  private volatile Set<UUID> waitedFor = ConcurrentHashMap.newKeySet();

  /** Replaces {@link #waitedFor} when a scan ends; targets queued during the scan go into both. */
  private volatile Set<UUID> arriving = waitedFor;

  private volatile Runnable wakeWorker = () -> {};

  public void wakeWith(Runnable wake) {
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

  /** Wakes the worker for targets that were left woken, too: what kept it from them may be over. */
  public void wake(Collection<UUID> targetIds) {
    if (!targetIds.isEmpty()) {
      synchronized (woken) {
        woken.addAll(targetIds);
      }
      wakeWorker.run();
    }
  }

  /**
   * Returns the targets woken since the last call, in the order of their turns. A target woken from
   * now on is returned again.
   */
  public List<UUID> takeWoken() {
    synchronized (woken) {
      List<UUID> taken = List.copyOf(woken);
      woken.clear();
      return taken;
    }
  }

  /**
   * Keeps these targets for the next {@link #takeWoken}. Their turns come first, so that targets
   * which are woken often do not take those of others.
   */
  public void leaveWoken(List<UUID> targetIds) {
    synchronized (woken) {
      targetIds.reversed().forEach(woken::addFirst);
    }
  }

  /**
   * Begins a scan; the caller adds all targets with waiting messages and calls {@link #endLook}.
   */
  public Set<UUID> beginLook() {
    Set<UUID> found = ConcurrentHashMap.newKeySet();
    arriving = found;
    return found;
  }

  public void endLook(Set<UUID> found) {
    waitedFor = found;
  }
}

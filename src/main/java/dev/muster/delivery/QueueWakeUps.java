package dev.muster.delivery;

import dev.muster.activity.FeedGrowthListener;
import dev.muster.event.EventType;
import dev.muster.event.RecordedEvent;
import dev.muster.event.RecordedEventListener;
import dev.muster.heartbeat.HeartbeatStoredListener;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/**
 * Knows for which targets messages wait, so that a heartbeat of any other costs a look into memory,
 * and which of them may be able to take messages now.
 */
@Component
class QueueWakeUps implements HeartbeatStoredListener, FeedGrowthListener, RecordedEventListener {

  private final Set<UUID> woken = ConcurrentHashMap.newKeySet();
  private volatile Set<UUID> waitedFor = ConcurrentHashMap.newKeySet();

  /** What becomes {@link #waitedFor}: what is queued during a look is added to both. */
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

  /** Costs nothing for those that nothing waits for. */
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

  /** Those that were woken since the last call; those that are woken from now on are told again. */
  List<UUID> takeWoken() {
    List<UUID> taken = List.copyOf(woken);
    taken.forEach(woken::remove);
    return taken;
  }

  /** They are to be told again with the next call. */
  void leaveWoken(Collection<UUID> targetIds) {
    woken.addAll(targetIds);
  }

  /** To be filled with all targets for which messages wait, and handed to {@link #endLook}. */
  Set<UUID> beginLook() {
    Set<UUID> found = ConcurrentHashMap.newKeySet();
    arriving = found;
    return found;
  }

  void endLook(Set<UUID> found) {
    waitedFor = found;
  }
}

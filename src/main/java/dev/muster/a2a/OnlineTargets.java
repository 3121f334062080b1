package dev.muster.a2a;

import dev.muster.a2a.queue.MessageQueue;
import dev.muster.event.EventFollower;
import dev.muster.event.EventType;
import dev.muster.event.RecordedEvent;
import java.util.List;
import org.springframework.stereotype.Component;

/** Whatever waits for an agent is delivered as soon as it is there again (R7.7). */
@Component
class OnlineTargets implements EventFollower {

  private final MessageQueue queue;

  OnlineTargets(MessageQueue queue) {
    this.queue = queue;
  }

  @Override
  public void follow(List<RecordedEvent> events) {
    queue.kick(
        events.stream()
            .filter(event -> event.eventType().equals(EventType.WORKSPACE_ONLINE.name()))
            .map(RecordedEvent::workspaceId)
            .toList());
  }
}

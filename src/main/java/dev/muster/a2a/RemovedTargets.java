package dev.muster.a2a;

import dev.muster.a2a.queue.MessageQueue;
import dev.muster.workspace.WorkspaceListener;
import java.util.List;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** What waits for a workspace goes with it (contract, section 2). */
@Component
class RemovedTargets implements WorkspaceListener {

  private final MessageQueue queue;

  RemovedTargets(MessageQueue queue) {
    this.queue = queue;
  }

  @Override
  public void removed(List<UUID> workspaceIds) {
    queue.dropOf(workspaceIds, "the workspace was removed");
  }
}

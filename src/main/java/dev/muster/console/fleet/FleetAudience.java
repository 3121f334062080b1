package dev.muster.console.fleet;

import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The workspaces that a caller sees: all, or an agent and its peers. Of its peers an agent sees the
 * same members as in live events (R10.3): no reason, error, task or queue.
 *
 * @param self the agent's workspace; null for readers of everything
 */
record FleetAudience(@Nullable UUID self) {

  /** Refuses callers that are neither readers of everything nor agents. */
  static FleetAudience of(Caller caller) {
    if (caller instanceof Caller.Agent(UUID own)) {
      return new FleetAudience(own);
    }
    AccessChecks.requireReader(caller);
    return new FleetAudience(null);
  }
}

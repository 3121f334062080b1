/**
 * Delivers messages to agents (R7.3 to R7.11) and stores the outcomes. Messages are sent at once,
 * through the queue, or left in the agent's feed.
 */
@ApplicationModule(
    allowedDependencies = {
      "activity",
      "workspace",
      "workspace :: agenturl",
      "identity",
      "event",
      "protocol",
      "protocol :: client",
      "platform"
    })
@NullMarked
package dev.muster.delivery;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

/**
 * Brings messages to agents (R7.3 to R7.11): at once, by the queue, or by their feeds; and keeps
 * how that ended.
 */
@ApplicationModule(
    allowedDependencies = {
      "heartbeat",
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

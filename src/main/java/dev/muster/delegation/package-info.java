/**
 * Tasks that workspaces delegate to each other, up to their reported end (docs/api.md, section 8).
 */
@ApplicationModule(
    allowedDependencies = {
      "message",
      "heartbeat",
      "workspace",
      "identity",
      "event",
      "protocol",
      "platform"
    })
@NullMarked
package dev.muster.delegation;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

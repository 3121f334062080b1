/** Tasks that workspaces give each other, until both know how they ended (contract, section 8). */
@ApplicationModule(
    allowedDependencies = {
      "a2a",
      "delivery",
      "heartbeat",
      "activity",
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

/** Who asked whom for what, until it has ended, and everybody knows how (contract, section 8). */
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

/** Accepts messages between workspaces and from the canvas (docs/api.md, section 7). */
@ApplicationModule(
    allowedDependencies = {
      "delivery",
      "activity",
      "workspace",
      "identity",
      "event",
      "protocol",
      "protocol :: client",
      "platform"
    })
@NullMarked
package dev.muster.a2a;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

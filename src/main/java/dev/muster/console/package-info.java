/**
 * The operators' console in the browser: its files, and what its pages read besides the public API.
 * No other module uses it.
 */
@ApplicationModule(
    allowedDependencies = {
      "runtime",
      "delegation",
      "a2a",
      "delivery",
      "heartbeat",
      "activity",
      "live",
      "workspace",
      "identity",
      "event",
      "protocol",
      "platform"
    })
@NullMarked
package dev.muster.console;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

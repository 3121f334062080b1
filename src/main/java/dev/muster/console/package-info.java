/**
 * The operators' console in the browser: its files, and the calls that only its pages use. No other
 * module uses it.
 */
@ApplicationModule(
    allowedDependencies = {
      "runtime",
      "delegation",
      "message",
      "heartbeat",
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

/**
 * Messages, from the request of a sender to the stored outcome, and the feeds that hold them
 * (docs/api.md, sections 6 and 7). Other modules use the types of this package. Inside, {@code
 * send} and {@code queue} use {@code flow}, which uses {@code call} and {@code store}; {@code feed}
 * shows what is stored.
 */
@ApplicationModule(
    allowedDependencies = {
      "workspace",
      "workspace :: agenturl",
      "identity",
      "event",
      "protocol",
      "protocol :: client",
      "platform"
    })
@NullMarked
package dev.muster.message;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

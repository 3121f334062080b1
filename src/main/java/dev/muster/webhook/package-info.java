/** Tells a receiver outside, by HTTP, which agents and delegations are not well, by cause. */
@ApplicationModule(
    allowedDependencies = {"workspace", "workspace :: agenturl", "event", "platform"})
@NullMarked
package dev.muster.webhook;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

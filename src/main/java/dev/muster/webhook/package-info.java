/** Sends notifications about agents and delegations in trouble to a url, grouped by cause. */
@ApplicationModule(
    allowedDependencies = {"workspace", "workspace :: agenturl", "event", "platform"})
@NullMarked
package dev.muster.webhook;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

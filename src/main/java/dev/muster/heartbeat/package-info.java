/** The heartbeat endpoint, the rules that turn beats into statuses, and the sweep of the silent. */
@ApplicationModule(allowedDependencies = {"workspace", "identity", "event", "platform"})
@NullMarked
package dev.muster.heartbeat;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

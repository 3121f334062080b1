/** The heartbeat endpoint and the rules that turn beats into statuses. */
@ApplicationModule(allowedDependencies = {"workspace", "identity", "event", "platform"})
@NullMarked
package dev.muster.heartbeat;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

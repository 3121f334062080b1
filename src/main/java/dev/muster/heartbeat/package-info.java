/** The heartbeat endpoint, the status rules, and the sweeps for silent and stalled workspaces. */
@ApplicationModule(allowedDependencies = {"message", "workspace", "identity", "event", "platform"})
@NullMarked
package dev.muster.heartbeat;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

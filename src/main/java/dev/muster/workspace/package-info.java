/** Manages workspaces: creation, registration, discovery, hierarchy, lifecycle and agent urls. */
@ApplicationModule(allowedDependencies = {"identity", "event", "protocol", "platform"})
@NullMarked
package dev.muster.workspace;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

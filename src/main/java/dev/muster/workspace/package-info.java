/** The registry: create, register, discover, hierarchy, life cycle and the agent-url guard. */
@ApplicationModule(allowedDependencies = {"identity", "event", "platform"})
@NullMarked
package dev.muster.workspace;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

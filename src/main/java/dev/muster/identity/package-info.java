/** Authenticates callers, manages their tokens and limits their request rate. */
@ApplicationModule(allowedDependencies = {"platform"})
@NullMarked
package dev.muster.identity;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

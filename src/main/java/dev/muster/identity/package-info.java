/** Tokens, the admin token, and who is calling. */
@ApplicationModule(allowedDependencies = {"platform"})
@NullMarked
package dev.muster.identity;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

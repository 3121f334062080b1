/** Tokens, the admin token, who is calling, and how often one may. */
@ApplicationModule(allowedDependencies = {"platform"})
@NullMarked
package dev.muster.identity;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

/** Wire values that servers and agents share: what a message says. */
@ApplicationModule(allowedDependencies = {})
@NullMarked
package dev.muster.protocol;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

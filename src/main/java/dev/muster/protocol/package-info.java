/** Wire values that servers and agents share, such as message content and runtime events. */
@ApplicationModule(allowedDependencies = {})
@NullMarked
package dev.muster.protocol;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

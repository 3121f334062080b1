/** What happens, as operators and canvases read it. */
@ApplicationModule(allowedDependencies = {"workspace", "identity", "event", "platform"})
@NullMarked
package dev.muster.live;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

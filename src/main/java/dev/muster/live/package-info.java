/** Streams and lists events for canvases, operators and agents. */
@ApplicationModule(allowedDependencies = {"workspace", "identity", "event", "platform"})
@NullMarked
package dev.muster.live;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

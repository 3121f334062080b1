/** Recorded events: rows of an outbox, their publisher, and the reading of them. */
@ApplicationModule(allowedDependencies = {"platform"})
@NullMarked
package dev.muster.event;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

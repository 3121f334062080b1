/**
 * Recorded events: rows of an outbox, their publisher, the log of them; and the last values of what
 * changes too often.
 */
@ApplicationModule(allowedDependencies = {"platform"})
@NullMarked
package dev.muster.event;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

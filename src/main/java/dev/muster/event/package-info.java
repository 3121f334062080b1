/**
 * Recorded events with their outbox, publisher and log; live events, last values and replica
 * notifications.
 *
 * <p>Live events and last values are not stored.
 */
@ApplicationModule(allowedDependencies = {"platform"})
@NullMarked
package dev.muster.event;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

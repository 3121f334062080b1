/**
 * Recorded events: rows of an outbox, their publisher, the log of them; live events and last
 * values, which are not kept; and the calls between replicas.
 */
@ApplicationModule(allowedDependencies = {"platform"})
@NullMarked
package dev.muster.event;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

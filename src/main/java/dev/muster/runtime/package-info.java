/** Runtime events: storage, live relay, and aggregation into runs (docs/api.md, section 9). */
@ApplicationModule(allowedDependencies = {"workspace", "identity", "event", "protocol", "platform"})
@NullMarked
package dev.muster.runtime;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

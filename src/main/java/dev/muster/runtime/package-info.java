/** Runtime events: what sandboxes say of their runs, stored, told live and folded (contract, 9). */
@ApplicationModule(allowedDependencies = {"workspace", "identity", "event", "protocol", "platform"})
@NullMarked
package dev.muster.runtime;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

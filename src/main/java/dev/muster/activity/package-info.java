/** The activity log: one feed a workspace, that agents poll and canvases show (contract, 6). */
@ApplicationModule(allowedDependencies = {"workspace", "identity", "event", "protocol", "platform"})
@NullMarked
package dev.muster.activity;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

/**
 * The activity log: one feed per workspace, which agents poll and canvases show (docs/api.md,
 * section 6).
 */
@ApplicationModule(allowedDependencies = {"workspace", "identity", "event", "protocol", "platform"})
@NullMarked
package dev.muster.activity;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

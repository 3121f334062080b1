/**
 * The activity log, with one feed per workspace (docs/api.md, section 6). Agents poll the feeds,
 * and canvases show them.
 */
@ApplicationModule(allowedDependencies = {"workspace", "identity", "event", "protocol", "platform"})
@NullMarked
package dev.muster.activity;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

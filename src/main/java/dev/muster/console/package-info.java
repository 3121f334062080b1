/**
 * The operators' console in the browser: its files, and what its pages read besides the public API.
 * No other module uses it.
 */
@ApplicationModule(allowedDependencies = {"identity", "platform"})
@NullMarked
package dev.muster.console;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;

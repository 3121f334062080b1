/** Settings from the environment: fallbacks for tuning knobs, refusals for security. */
@NullMarked
package dev.muster.platform.settings;

import org.jspecify.annotations.NullMarked;

/**
 * Reads settings; a bad tuning value falls back to its default, a bad security value refuses the
 * start.
 */
@NullMarked
package dev.muster.platform.settings;

import org.jspecify.annotations.NullMarked;

/**
 * Reads the clock of this machine, and converts times of the database; every decision is by the
 * latter.
 */
@NullMarked
package dev.muster.platform.time;

import org.jspecify.annotations.NullMarked;

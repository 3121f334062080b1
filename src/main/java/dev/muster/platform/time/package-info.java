/**
 * Reads the clock of this machine, and converts the times of the database. Decisions use the
 * database's time.
 */
@NullMarked
package dev.muster.platform.time;

import org.jspecify.annotations.NullMarked;

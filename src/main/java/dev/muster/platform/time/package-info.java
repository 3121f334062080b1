/** Reads the clock of this machine; every other time is the database's. */
@NullMarked
package dev.muster.platform.time;

import org.jspecify.annotations.NullMarked;

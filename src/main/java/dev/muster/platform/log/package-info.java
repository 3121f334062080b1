/** Formats the log, limits the lines that callers can cause, and holds parts of meters. */
@NullMarked
package dev.muster.platform.log;

import org.jspecify.annotations.NullMarked;

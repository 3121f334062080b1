/** Formats the log and limits the lines that callers can cause. */
@NullMarked
package dev.muster.platform.log;

import org.jspecify.annotations.NullMarked;

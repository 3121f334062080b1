/** The form of the log, and a bound on what callers cause in it. */
@NullMarked
package dev.muster.platform.log;

import org.jspecify.annotations.NullMarked;

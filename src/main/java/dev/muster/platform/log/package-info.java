/** The form of the log. */
@NullMarked
package dev.muster.platform.log;

import org.jspecify.annotations.NullMarked;

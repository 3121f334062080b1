/** Starts the process and reports its health; the modules contain everything else. */
@NullMarked
package dev.muster;

import org.jspecify.annotations.NullMarked;

/** Reads of the whole fleet: the snapshot, the summary, rows, and the filter of all of them. */
@NullMarked
package dev.muster.console.fleet;

import org.jspecify.annotations.NullMarked;

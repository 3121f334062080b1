/** Reads the whole fleet: snapshot, summary, rows, and their filter. */
@NullMarked
package dev.muster.console.fleet;

import org.jspecify.annotations.NullMarked;

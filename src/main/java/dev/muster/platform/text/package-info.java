/** Reads and writes JSON, and cleans, cuts and redacts texts before they are stored or logged. */
@NullMarked
package dev.muster.platform.text;

import org.jspecify.annotations.NullMarked;

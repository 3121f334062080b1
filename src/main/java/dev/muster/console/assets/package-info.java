/** Serves the files of the console's pages. */
@NullMarked
package dev.muster.console.assets;

import org.jspecify.annotations.NullMarked;

/** Tests of canvases that exist: their calls, and one of them in a browser where one is given. */
@NullMarked
package dev.muster.canvas;

import org.jspecify.annotations.NullMarked;

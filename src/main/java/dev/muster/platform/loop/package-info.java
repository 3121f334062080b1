/** Runs the background loops of one replica. */
@NullMarked
package dev.muster.platform.loop;

import org.jspecify.annotations.NullMarked;

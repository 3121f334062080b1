/** How fast the periods of a server run: as they are in production, and faster in tests. */
@NullMarked
package dev.muster.platform.pace;

import org.jspecify.annotations.NullMarked;

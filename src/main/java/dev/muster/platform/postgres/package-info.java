/** Which PostgreSQL the server talks to, and the embedded one it brings along. */
@NullMarked
package dev.muster.platform.postgres;

import org.jspecify.annotations.NullMarked;

/** Connects to PostgreSQL, external or embedded, and runs statements. */
@NullMarked
package dev.muster.platform.postgres;

import org.jspecify.annotations.NullMarked;

/** Connects to PostgreSQL, external or embedded. */
@NullMarked
package dev.muster.platform.postgres;

import org.jspecify.annotations.NullMarked;

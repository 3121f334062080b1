/** The PostgreSQL server that Muster starts itself, and the folder {@code MUSTER_HOME}. */
@NullMarked
package dev.muster.platform.embedded;

import org.jspecify.annotations.NullMarked;

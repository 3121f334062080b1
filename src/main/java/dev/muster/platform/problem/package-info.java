/** The refusals a client may get: one table of codes, and the exception that carries one. */
@NullMarked
package dev.muster.platform.problem;

import org.jspecify.annotations.NullMarked;

/** Defines the refusals of requests: their codes, and the exception that carries one. */
@NullMarked
package dev.muster.platform.problem;

import org.jspecify.annotations.NullMarked;

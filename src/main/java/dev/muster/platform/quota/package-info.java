/** Bounds what callers may hold of a resource, in total and per owner. */
@NullMarked
package dev.muster.platform.quota;

import org.jspecify.annotations.NullMarked;

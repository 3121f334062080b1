/** Bounds on what all callers together, and each of them alone, may hold of a resource. */
@NullMarked
package dev.muster.platform.quota;

import org.jspecify.annotations.NullMarked;

/** Provides the single deadline of a request (R1.8). */
@NullMarked
package dev.muster.platform.deadline;

import org.jspecify.annotations.NullMarked;

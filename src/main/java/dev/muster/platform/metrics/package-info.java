/** Parts of meters that more than one module uses. */
@NullMarked
package dev.muster.platform.metrics;

import org.jspecify.annotations.NullMarked;

/** What gauges of more than one module are made of. */
@NullMarked
package dev.muster.platform.metrics;

import org.jspecify.annotations.NullMarked;

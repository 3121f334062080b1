/**
 * Benchmarks of the goals of the design, as ratios measured in one run. Not part of the product or
 * of its tests.
 */
@NullMarked
package dev.muster.bench;

import org.jspecify.annotations.NullMarked;

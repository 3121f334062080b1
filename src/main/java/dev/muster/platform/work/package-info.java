/**
 * Runs what no request waits for: background loops of one replica, cluster jobs on one replica at a
 * time, and requests that wait without a thread.
 */
@NullMarked
package dev.muster.platform.work;

import org.jspecify.annotations.NullMarked;

/** Cluster jobs: recurring work that exactly one replica at a time runs, on db-scheduler. */
@NullMarked
package dev.muster.platform.jobs;

import org.jspecify.annotations.NullMarked;

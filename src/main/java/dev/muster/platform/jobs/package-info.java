/** Runs recurring cluster jobs on db-scheduler, each on one replica at a time. */
@NullMarked
package dev.muster.platform.jobs;

import org.jspecify.annotations.NullMarked;

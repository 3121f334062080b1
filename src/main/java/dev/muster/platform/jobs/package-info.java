/**
 * Cluster jobs on db-scheduler: recurring work, and durable deliveries, each run by one replica at
 * a time.
 */
@NullMarked
package dev.muster.platform.jobs;

import org.jspecify.annotations.NullMarked;

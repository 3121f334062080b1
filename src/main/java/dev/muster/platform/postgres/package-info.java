/**
 * Connects to PostgreSQL, external or embedded, runs statements, commits the values of many callers
 * in one transaction, and keeps the times of the database and the uptime of the control plane.
 */
@NullMarked
package dev.muster.platform.postgres;

import org.jspecify.annotations.NullMarked;

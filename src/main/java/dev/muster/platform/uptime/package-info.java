/**
 * Tracks since when the control plane is up, so that rules can tell its gaps from silent agents.
 */
@NullMarked
package dev.muster.platform.uptime;

import org.jspecify.annotations.NullMarked;

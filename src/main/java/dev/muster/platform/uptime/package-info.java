/** Tracks the control plane's uptime, to tell its gaps from silent agents. */
@NullMarked
package dev.muster.platform.uptime;

import org.jspecify.annotations.NullMarked;

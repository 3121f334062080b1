/** Since when the control plane is up, by the database's clock: what its silence is told from. */
@NullMarked
package dev.muster.platform.uptime;

import org.jspecify.annotations.NullMarked;

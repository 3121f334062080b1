/** The fleet as it was: stays of workspaces in their statuses, and the fleet of each minute. */
@NullMarked
package dev.muster.console.history;

import org.jspecify.annotations.NullMarked;

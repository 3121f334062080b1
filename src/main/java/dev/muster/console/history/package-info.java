/** The fleet as it was: status periods of workspaces, and counts for each minute. */
@NullMarked
package dev.muster.console.history;

import org.jspecify.annotations.NullMarked;

/** The timeline of a workspace, and the trace of a delegation. */
@NullMarked
package dev.muster.console.timeline;

import org.jspecify.annotations.NullMarked;

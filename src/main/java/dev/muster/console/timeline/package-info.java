/** What happened to a workspace, and what a delegation caused. */
@NullMarked
package dev.muster.console.timeline;

import org.jspecify.annotations.NullMarked;

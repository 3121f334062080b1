/** Changes many workspaces at once, found by a filter. */
@NullMarked
package dev.muster.console.bulk;

import org.jspecify.annotations.NullMarked;

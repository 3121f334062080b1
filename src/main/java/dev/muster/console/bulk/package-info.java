/** Changes of many workspaces at once, by filter. */
@NullMarked
package dev.muster.console.bulk;

import org.jspecify.annotations.NullMarked;

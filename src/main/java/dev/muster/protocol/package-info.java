/** Wire values that servers and agents share, such as message content and runtime events. */
@NullMarked
package dev.muster.protocol;

import org.jspecify.annotations.NullMarked;

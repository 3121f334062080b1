/**
 * What becomes of a message (R7.3 to R7.11): sent at once, queued or left in the feed; repeated,
 * taken over, withdrawn; and its end.
 */
@NullMarked
package dev.muster.message.flow;

import org.jspecify.annotations.NullMarked;

/**
 * The HTTP of messages (R7.1 to R7.5): who may send, the normal form of a request, and its answer.
 */
@NullMarked
package dev.muster.message.send;

import org.jspecify.annotations.NullMarked;

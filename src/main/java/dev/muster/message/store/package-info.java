/**
 * The rows of messages: the statements that begin, claim and end a delivery, the lease that they
 * are held by, and who is told of a change.
 */
@NullMarked
package dev.muster.message.store;

import org.jspecify.annotations.NullMarked;

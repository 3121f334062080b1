/** The queue (R7.7): the worker that delivers, and the lists and changes of an operator. */
@NullMarked
package dev.muster.message.queue;

import org.jspecify.annotations.NullMarked;

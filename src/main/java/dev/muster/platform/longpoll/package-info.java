/** Requests that wait for an answer without holding a thread. */
@NullMarked
package dev.muster.platform.longpoll;

import org.jspecify.annotations.NullMarked;

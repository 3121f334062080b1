/** Holds requests until they have a response, without a thread for each. */
@NullMarked
package dev.muster.platform.longpoll;

import org.jspecify.annotations.NullMarked;

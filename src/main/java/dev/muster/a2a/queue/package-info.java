/** The durable queue of messages for agents that cannot take them right now (R7.7). */
@NullMarked
package dev.muster.a2a.queue;

import org.jspecify.annotations.NullMarked;

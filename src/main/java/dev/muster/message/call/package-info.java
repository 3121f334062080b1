/** One delivery attempt at an agent, and what its result means (R7.10, R7.16). */
@NullMarked
package dev.muster.message.call;

import org.jspecify.annotations.NullMarked;

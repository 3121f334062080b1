/** One attempt at an agent (R7.10), and what its result means (R7.9). */
@NullMarked
package dev.muster.message.call;

import org.jspecify.annotations.NullMarked;

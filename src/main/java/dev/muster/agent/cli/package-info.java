/** An agent as a program: everything a shell script needs to be one. */
@NullMarked
package dev.muster.agent.cli;

import org.jspecify.annotations.NullMarked;

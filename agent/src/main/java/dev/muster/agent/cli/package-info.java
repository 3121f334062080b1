/** Provides the command line program that makes a shell script an agent. */
@NullMarked
package dev.muster.agent.cli;

import org.jspecify.annotations.NullMarked;

/**
 * Attacks on a running server, and workspaces that measure their effects. Compiled with the tests,
 * which run each for a few seconds; {@link AttackMain} runs them for minutes.
 */
@NullMarked
package dev.muster.attack;

import org.jspecify.annotations.NullMarked;

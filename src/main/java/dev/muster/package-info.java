/**
 * The process: where it starts and how it shows that it is up; everything else is in the modules.
 */
@NullMarked
package dev.muster;

import org.jspecify.annotations.NullMarked;

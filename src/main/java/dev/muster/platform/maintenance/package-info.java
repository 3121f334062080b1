/** The commands of the program that are no server: backup, restore, doctor (R11.1). */
@NullMarked
package dev.muster.platform.maintenance;

import org.jspecify.annotations.NullMarked;

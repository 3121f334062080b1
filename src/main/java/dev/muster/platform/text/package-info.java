/** Text as it is stored and logged: cleaned, cut and free of secrets. */
@NullMarked
package dev.muster.platform.text;

import org.jspecify.annotations.NullMarked;

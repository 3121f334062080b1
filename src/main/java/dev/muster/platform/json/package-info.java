/** Reads and writes request bodies and raw JSON values. */
@NullMarked
package dev.muster.platform.json;

import org.jspecify.annotations.NullMarked;

/** Cleans, escapes and cuts text before it is stored or logged. */
@NullMarked
package dev.muster.platform.text;

import org.jspecify.annotations.NullMarked;

/** Removes secrets from texts before they are stored or logged. */
@NullMarked
package dev.muster.platform.redaction;

import org.jspecify.annotations.NullMarked;

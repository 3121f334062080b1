/** The description of the API: what the resources in {@code openapi/} say, made whole. */
@NullMarked
package dev.muster.platform.openapi;

import org.jspecify.annotations.NullMarked;

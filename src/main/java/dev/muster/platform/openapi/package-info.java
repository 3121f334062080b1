/** Builds and serves the API description from the resources in {@code openapi/}. */
@NullMarked
package dev.muster.platform.openapi;

import org.jspecify.annotations.NullMarked;

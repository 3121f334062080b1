/** Implements the conventions of all routes: problem details, body limits, paging and headers. */
@NullMarked
package dev.muster.platform.http;

import org.jspecify.annotations.NullMarked;

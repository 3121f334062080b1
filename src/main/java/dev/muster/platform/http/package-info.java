/**
 * Implements the conventions of all routes: problem details, body limits, deadlines, bounds per
 * caller, paging and headers, and their description.
 */
@NullMarked
package dev.muster.platform.http;

import org.jspecify.annotations.NullMarked;

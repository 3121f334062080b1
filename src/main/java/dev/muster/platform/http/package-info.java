/** The conventions every route keeps: problem details, body limits, paging, headers. */
@NullMarked
package dev.muster.platform.http;

import org.jspecify.annotations.NullMarked;

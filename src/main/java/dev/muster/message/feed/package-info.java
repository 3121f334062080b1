/** Feeds as agents and canvases read them (R6): pages, polls, reports, live events, retention. */
@NullMarked
package dev.muster.message.feed;

import org.jspecify.annotations.NullMarked;

/** Sends A2A requests to agents and retries while a retry can help (R7.10). */
@NullMarked
package dev.muster.protocol.client;

import org.jspecify.annotations.NullMarked;

/** Sends A2A requests to agents and keeps trying as long as that can help (R7.10). */
@NamedInterface("client")
@NullMarked
package dev.muster.protocol.client;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;

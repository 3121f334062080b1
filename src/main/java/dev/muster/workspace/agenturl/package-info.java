/** Checks which urls the server may call on behalf of an agent (R3.3). */
@NamedInterface("agenturl")
@NullMarked
package dev.muster.workspace.agenturl;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.NamedInterface;

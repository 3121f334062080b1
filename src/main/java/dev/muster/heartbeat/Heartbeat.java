package dev.muster.heartbeat;

import dev.muster.platform.text.OptionalField;
import dev.muster.platform.text.RawJson;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One heartbeat (docs/api.md, section 4); null means not sent, so the stored value stays.
 *
 * @param errorRate 0..1
 * @param sampleError redacted, at most 4096 code points; empty when the agent sent none
 * @param runtimeState as sent by the agent; only {@code wedged} is unhealthy
 * @param capabilities names to booleans, as sent
 * @param nativeStatus whether the capabilities of this heartbeat say that the agent manages its own
 *     status
 * @param delegations the ids of the delegations that the agent works on
 */
record Heartbeat(
    UUID workspaceId,
    @Nullable Double errorRate,
    String sampleError,
    @Nullable Integer activeTasks,
    @Nullable String currentTask,
    @Nullable Long uptimeSeconds,
    String runtimeState,
    OptionalField<RawJson> capabilities,
    boolean nativeStatus,
    OptionalField<Integer> idleTimeoutSeconds,
    @Nullable RawJson agentCard,
    List<String> delegations) {

  private static final String WEDGED = "wedged";

  boolean wedged() {
    return runtimeState.equals(WEDGED);
  }

  Heartbeat withSampleError(String text) {
    return new Heartbeat(
        workspaceId,
        errorRate,
        text,
        activeTasks,
        currentTask,
        uptimeSeconds,
        runtimeState,
        capabilities,
        nativeStatus,
        idleTimeoutSeconds,
        agentCard,
        delegations);
  }
}

package dev.muster.agent;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What an agent says of itself in one heartbeat. What is empty is not sent: it stays as it was, but
 * for the wedge, which is over when it is not sent.
 *
 * @param wedge why the runtime is wedged; {@code ""} when it is not
 * @param errorRate of the requests since the last heartbeat, 0..1
 * @param sampleError what went wrong last; the wedge's reason goes first
 * @param uptime of the agent
 * @param capabilities such as {@code status_mgmt}: an agent that judges its own status
 * @param idleTimeout how long this agent may say nothing while it answers
 * @param delegations the ids of those that the agent works on
 */
public record Heartbeat(
    String wedge,
    Optional<Double> errorRate,
    String sampleError,
    Optional<Integer> activeTasks,
    Optional<String> currentTask,
    Optional<Duration> uptime,
    Map<String, Boolean> capabilities,
    Optional<Duration> idleTimeout,
    List<String> delegations) {

  /** All is well, and nothing to tell. */
  public static final Heartbeat HEALTHY =
      new Heartbeat(
          "",
          Optional.empty(),
          "",
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Map.of(),
          Optional.empty(),
          List.of());

  private static final int MAX_DELEGATIONS = 1_000;

  public Heartbeat {
    capabilities = Map.copyOf(capabilities);
    delegations = List.copyOf(delegations);
  }

  ObjectNode toJson(String workspaceId) {
    ObjectNode body = JsonNodeFactory.instance.objectNode().put("workspace_id", workspaceId);
    if (!wedge.isEmpty()) {
      body.put("runtime_state", "wedged").put("sample_error", wedge);
    } else if (!sampleError.isEmpty()) {
      body.put("sample_error", sampleError);
    }
    errorRate.ifPresent(rate -> body.put("error_rate", rate));
    activeTasks.ifPresent(count -> body.put("active_tasks", count));
    currentTask.ifPresent(task -> body.put("current_task", task));
    uptime.ifPresent(time -> body.put("uptime_seconds", time.toSeconds()));
    if (!capabilities.isEmpty() || idleTimeout.isPresent()) {
      ObjectNode metadata = body.putObject("runtime_metadata");
      if (!capabilities.isEmpty()) {
        ObjectNode map = metadata.putObject("capabilities");
        capabilities.forEach(map::put);
      }
      idleTimeout.ifPresent(limit -> metadata.put("idle_timeout_seconds", limit.toSeconds()));
    }
    if (!delegations.isEmpty()) {
      var ids = body.putArray("delegations");
      delegations.stream().limit(MAX_DELEGATIONS).forEach(ids::add);
    }
    return body;
  }
}

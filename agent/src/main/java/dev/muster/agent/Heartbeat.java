package dev.muster.agent;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Holds the status report of one heartbeat. Empty fields are not sent, and the server keeps their
 * values. Exceptions: without a wedge the server takes the runtime as healthy, and the server reads
 * an absent sample error as {@code ""}.
 *
 * @param wedge why the runtime is wedged; {@code ""} when it is not
 * @param errorRate the share of failed requests since the last accepted heartbeat, 0..1
 * @param sampleError the text of the latest failure, or {@code ""}; a wedge replaces it
 * @param activeTasks the number of tasks that the agent works on
 * @param currentTask the task that people see; a present {@code ""} clears it
 * @param uptime the uptime of the agent, sent in whole seconds, at least 1: 0 says nothing
 * @param capabilities flags such as {@code status_mgmt}: the agent judges its own status
 * @param idleTimeout how long this agent may send nothing while it answers, in whole seconds
 * @param delegations the ids of the delegations that the agent works on; the first 1,000 are sent
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

  /** Reports a healthy agent and no other values. */
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
    uptime.ifPresent(time -> body.put("uptime_seconds", Math.max(1, time.toSeconds())));
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

package dev.muster.agent;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Calls the delegation routes of the server for one workspace. */
final class Delegations {

  private final ServerHttp http;
  private final WorkspacePath path;
  private final String parent;

  /** Takes the delegation that the agent works on; {@code ""} for none. */
  Delegations(ServerHttp http, WorkspacePath path, String parent) {
    this.http = http;
    this.path = path;
    this.parent = parent;
  }

  Delegation give(String peerId, String task, Optional<String> key, Optional<Duration> deadline) {
    ObjectNode body =
        task(peerId, task)
            .put("idempotency_key", key.orElseGet(() -> UUID.randomUUID().toString()));
    deadline.ifPresent(time -> body.put("deadline_s", time.toSeconds()));
    return Delegation.of(
        http.json(ServerRequest.post(path.to("/delegate"), body, RequestTimeouts.USUAL)));
  }

  void record(String peerId, String task, String delegationId) {
    post("/delegations/record", task(peerId, task).put("delegation_id", delegationId));
  }

  ServerRequest report(String delegationId, DelegationReport report) {
    return ServerRequest.post(
        path.to(one(delegationId) + "/update"), report.toJson(), RequestTimeouts.USUAL);
  }

  void heartbeat(String delegationId) {
    post(one(delegationId) + "/heartbeat", JsonNodeFactory.instance.objectNode());
  }

  Delegation read(String delegationId, Duration wait) {
    Duration held = RequestTimeouts.heldAtMost(wait);
    String query = held.isPositive() ? "?wait=" + Math.max(1, held.toSeconds()) : "";
    RequestTimeouts timeouts =
        RequestTimeouts.held(held, RequestTimeouts.USUAL.policy().maxAttempts());
    return Delegation.of(
        http.json(ServerRequest.get(path.to(one(delegationId) + query), timeouts)));
  }

  private void post(String rest, ObjectNode body) {
    http.json(ServerRequest.post(path.to(rest), body, RequestTimeouts.USUAL));
  }

  private static String one(String delegationId) {
    return "/delegations/" + WorkspacePath.segment(delegationId);
  }

  private ObjectNode task(String peerId, String task) {
    ObjectNode body =
        JsonNodeFactory.instance
            .objectNode()
            .put("target_id", WorkspacePath.canonical("peer id", peerId))
            .put("task", task);
    return parent.isEmpty() ? body : body.put("parent_delegation_id", parent);
  }
}

package dev.muster.agent;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Gives tasks to peers, and reports on those given and got. */
final class Delegations {

  private final PlatformHttp http;
  private final WorkspacePath path;

  Delegations(PlatformHttp http, WorkspacePath path) {
    this.http = http;
    this.path = path;
  }

  Delegation give(String peerId, String task, Optional<String> key, Optional<Duration> deadline) {
    ObjectNode body =
        task(peerId, task)
            .put("idempotency_key", key.orElseGet(() -> UUID.randomUUID().toString()));
    deadline.ifPresent(time -> body.put("deadline_s", time.toSeconds()));
    return Delegation.of(http.json(PlatformCall.post(path.to("/delegate"), body, Patience.USUAL)));
  }

  void record(String peerId, String task, String delegationId) {
    post("/delegations/record", task(peerId, task).put("delegation_id", delegationId));
  }

  PlatformCall report(String delegationId, DelegationReport report) {
    return PlatformCall.post(
        path.to(one(delegationId) + "/update"), report.toJson(), Patience.USUAL);
  }

  void beat(String delegationId) {
    post(one(delegationId) + "/heartbeat", JsonNodeFactory.instance.objectNode());
  }

  Delegation read(String delegationId, Duration wait) {
    Duration held = Patience.heldAtMost(wait);
    String query = held.isPositive() ? "?wait=" + Math.max(1, held.toSeconds()) : "";
    Patience patience = Patience.held(held, Patience.USUAL.policy().maxAttempts());
    return Delegation.of(http.json(PlatformCall.get(path.to(one(delegationId) + query), patience)));
  }

  private void post(String rest, ObjectNode body) {
    http.json(PlatformCall.post(path.to(rest), body, Patience.USUAL));
  }

  private static String one(String delegationId) {
    return "/delegations/" + WorkspacePath.segment(delegationId);
  }

  private static ObjectNode task(String peerId, String task) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("target_id", WorkspacePath.canonical("peer id", peerId))
        .put("task", task);
  }
}

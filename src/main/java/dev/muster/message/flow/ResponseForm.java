package dev.muster.message.flow;

import dev.muster.message.call.ProxyResponses;
import dev.muster.message.store.ProxyResponse;
import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.A2aMethod;
import dev.muster.protocol.A2aVersion;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The form in which a sender understands a response that its agent did not give to this very
 * request (R7.5, R7.7).
 *
 * @param version of the request
 * @param rpcId the id of the JSON-RPC request; JSON null for a request without one
 * @param isMessage whether the request sends a message
 * @param isStream whether it asks for a stream
 * @param contextId the {@code contextId} of its message; null if it has none
 */
public record ResponseForm(
    A2aVersion version,
    JsonNode rpcId,
    boolean isMessage,
    boolean isStream,
    @Nullable String contextId) {

  /** JSON-RPC errors of A2A and of JSON-RPC itself. */
  private static final int TASK_NOT_FOUND = -32001;

  private static final int METHOD_NOT_FOUND = -32601;

  /** The message is row {@code activityId} in the feed of a poll agent. */
  ProxyResponse toBePolled(String method, UUID activityId) {
    return isTask()
        ? submitted(HttpStatus.OK, activityId)
        : ProxyResponses.toBePolled(method, activityId);
  }

  /**
   * The request is queued and will be delivered later. A client of A2A 1.0 that sent no message
   * learns that there is no answer yet.
   */
  ProxyResponse queued(UUID queueId, int depth) {
    if (isTask()) {
      return submitted(HttpStatus.ACCEPTED, queueId);
    }
    return version == A2aVersion.V1_0
        ? error(
            HttpStatus.ACCEPTED,
            JsonRpc.INTERNAL_ERROR,
            "the agent cannot be called now; the request is queued as " + queueId)
        : ProxyResponses.queued(queueId, depth);
  }

  /** Whether the sender of a message that waits gets a task, since it speaks A2A 1.0. */
  private boolean isTask() {
    return isMessage && version == A2aVersion.V1_0;
  }

  private ProxyResponse submitted(HttpStatus status, UUID id) {
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    ObjectNode task = result.putObject("task").put("id", id.toString());
    task.put("contextId", contextId == null ? id.toString() : contextId);
    task.putObject("status").put("state", "TASK_STATE_SUBMITTED");
    return response(status, LosslessJson.write(JsonRpc.result(rpcId, result)));
  }

  /** The agent fetches its messages, so it does not answer this method of A2A. */
  ProxyResponse noAnswer(A2aMethod method, String name) {
    return method.namesTask() ? noSuchTask() : noSuchMethod(name);
  }

  /** The agent has no task of that name, since it fetches its messages. */
  private ProxyResponse noSuchTask() {
    return error(
        HttpStatus.OK,
        TASK_NOT_FOUND,
        "Task not found: the agent of this workspace fetches its messages, and no task of it is"
            + " known here; it answers a message with a message of its own");
  }

  /** The agent does not have the method, since it fetches its messages. */
  private ProxyResponse noSuchMethod(String method) {
    return error(
        HttpStatus.OK,
        METHOD_NOT_FOUND,
        "Method not found: the agent of this workspace fetches its messages, so nothing answers "
            + method
            + " here; send it a message instead");
  }

  private ProxyResponse error(HttpStatus status, int code, String message) {
    return response(status, LosslessJson.write(JsonRpc.error(rpcId, code, message, null)));
  }

  /** The answer that the agent gave by a message of its own. */
  ProxyResponse answer(RawJson stored) {
    return withOwnId(
        version == A2aVersion.V1_0
            ? response(HttpStatus.OK, stored)
            : ProxyResponse.json(200, stored));
  }

  /** Returns a stored response as the response to this request. */
  ProxyResponse withOwnId(ProxyResponse stored) {
    boolean hasId =
        stored.isStream() || stored.contentType().equals(MediaType.APPLICATION_JSON_VALUE);
    return hasId
        ? new ProxyResponse(
            stored.status(),
            stored.contentType(),
            JsonRpc.withId(stored.body(), rpcId),
            stored.headers(),
            stored.space())
        : stored;
  }

  /** Clients of A2A read the response to a streaming request only as a stream. */
  private ProxyResponse response(HttpStatus status, RawJson body) {
    return isStream
        ? new ProxyResponse(status.value(), MediaType.TEXT_EVENT_STREAM_VALUE, JsonRpc.event(body))
        : ProxyResponse.json(status.value(), body);
  }
}

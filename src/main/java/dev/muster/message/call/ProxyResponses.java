package dev.muster.message.call;

import dev.muster.message.store.ProxyResponse;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.Problem;
import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.text.RawJson;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/** Builds the responses that the server itself gives to senders (R7.5, R7.6). */
@Component
public class ProxyResponses {

  private static final Set<Integer> OF_CREDENTIALS = Set.of(401, 403, 407);

  private final JsonMapper json;

  ProxyResponses(JsonMapper json) {
    this.json = json;
  }

  /** The message is row {@code activityId} in the feed of a poll agent. */
  public static ProxyResponse toBePolled(String method, UUID activityId) {
    // lossless, since the method may contain any characters
    RawJson body =
        LosslessJson.write(
            JsonNodeFactory.instance
                .objectNode()
                .put("status", "queued")
                .put("delivery_mode", "poll")
                .put("method", method)
                .put("activity_id", activityId.toString()));
    return ProxyResponse.json(HttpStatus.OK.value(), body);
  }

  /** The message is queued and will be delivered later. */
  public static ProxyResponse queued(UUID queueId, int depth) {
    RawJson body =
        LosslessJson.write(
            JsonNodeFactory.instance
                .objectNode()
                .put("status", "queued")
                .put("queued", true)
                .put("queue_id", queueId.toString())
                .put("queue_depth", depth));
    return ProxyResponse.json(HttpStatus.ACCEPTED.value(), body);
  }

  /** The agent did not get the message. */
  public ProxyResponse unreachable(String detail) {
    return problem(
        HttpStatus.SERVICE_UNAVAILABLE.value(),
        ErrorCode.AGENT_UNREACHABLE,
        detail + "; it was not delivered, and may be sent again",
        Map.of("restarting", true, "retry_after", ProxyResponse.RETRY_AFTER_S));
  }

  /** The agent may have got the message. */
  public ProxyResponse timedOut(String detail) {
    return problem(
        HttpStatus.GATEWAY_TIMEOUT.value(),
        ErrorCode.AGENT_TIMEOUT,
        detail + "; it may have been delivered, so send it again only with the same messageId",
        Map.of("busy", true));
  }

  ProxyResponse notAllowed(String detail) {
    return problem(
        HttpStatus.BAD_GATEWAY.value(), ErrorCode.AGENT_URL_NOT_ALLOWED, detail, Map.of());
  }

  ProxyResponse badResponse(String detail) {
    return problem(
        HttpStatus.BAD_GATEWAY.value(),
        ErrorCode.BAD_AGENT_RESPONSE,
        detail,
        Map.of("delivery_confirmed", true));
  }

  /**
   * Uses the agent's status if it is 400 to 599, else 502. A redirect status would send the client
   * elsewhere. So is one by which the agent refuses the server's credential, not the sender's.
   */
  ProxyResponse httpError(int agentStatus, String detail) {
    boolean isError =
        agentStatus >= 400 && agentStatus < 600 && !OF_CREDENTIALS.contains(agentStatus);
    return problem(
        isError ? agentStatus : HttpStatus.BAD_GATEWAY.value(),
        ErrorCode.AGENT_HTTP_ERROR,
        detail,
        Map.of("agent_status", agentStatus));
  }

  /** {@code status} may differ from the one of {@code code}, and may have no standard name. */
  private ProxyResponse problem(
      int status, ErrorCode code, String detail, Map<String, ? extends @Nullable Object> extras) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    HttpStatus known = HttpStatus.resolve(status);
    members.put("title", known == null ? "Agent Error" : known.getReasonPhrase());
    members.put("status", status);
    members.putAll(extras);
    return new ProxyResponse(
        status,
        MediaType.APPLICATION_PROBLEM_JSON_VALUE,
        json.writeValueAsBytes(new Problem(code, detail, members).body(null)));
  }
}

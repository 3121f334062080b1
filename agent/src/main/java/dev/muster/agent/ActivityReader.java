package dev.muster.agent;

import java.time.Duration;
import java.util.List;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Reads the activity rows of the workspace and acknowledges the handled ones. */
final class ActivityReader {

  private static final Logger log = LoggerFactory.getLogger(ActivityReader.class);
  private static final Duration ACK_LIMIT = Duration.ofSeconds(10);

  private final ServerHttp http;
  private final WorkspacePath path;

  ActivityReader(ServerHttp http, WorkspacePath path) {
    this.http = http;
    this.path = path;
  }

  List<JsonNode> fetch(
      @Nullable String sinceId,
      int limit,
      String type,
      Duration wait,
      CancellationToken cancellation) {
    Duration held = RequestTimeouts.heldAtMost(wait);
    HttpUrl.Builder query =
        WorkspacePath.unused()
            .addQueryParameter("type", type)
            .addQueryParameter("limit", Integer.toString(limit));
    if (sinceId != null) {
      query.addQueryParameter("since_id", sinceId);
    }
    if (held.isPositive()) {
      query.addQueryParameter("wait", Long.toString(Math.max(1, held.toSeconds())));
    }
    ServerRequest call =
        ServerRequest.get(
                path.to("/activity?" + query.build().encodedQuery()), RequestTimeouts.held(held, 1))
            .endedBy(cancellation);
    ServerResponse answer = http.exchange(call);
    if (answer.status() == 410 && !answer.failure(call).isRemoval()) {
      throw new CursorLostException(
          answer.code(), String.valueOf(answer.failure(call).getMessage()));
    }
    if (!answer.isSuccess() || !answer.body().isArray()) {
      throw answer.failure(call);
    }
    return answer.body().valueStream().toList();
  }

  /**
   * Fetches the whole activity row when the list truncated its request body. Returns the given
   * message when that fails.
   */
  InboundMessage whole(InboundMessage message) {
    if (!message.raw().path("request_body").path("truncated").asBoolean(false)) {
      return message;
    }
    String row = WorkspacePath.segment(message.activityId());
    try {
      return InboundMessage.ofRow(
              http.json(ServerRequest.get(path.to("/activity/" + row), RequestTimeouts.USUAL)))
          .orElse(message);
    } catch (MusterException e) {
      log.warn("row {} cannot be read completely: {}", message.activityId(), e.getMessage());
      return message;
    }
  }

  /** Acknowledges rows up to this {@code seq}, in one attempt: the next call covers it too. */
  void acknowledge(long seq) {
    http.json(
        ServerRequest.post(
            path.to("/activity/ack"),
            JsonNodeFactory.instance.objectNode().put("acked_seq", seq),
            RequestTimeouts.once(ACK_LIMIT)));
  }
}

package dev.muster.message.feed;

import dev.muster.message.NewActivity;
import dev.muster.message.NewActivity.ActivityResult;
import dev.muster.message.NewActivity.Bodies;
import dev.muster.message.store.ActivitySource;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.MessageContent;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** An agent's report of its own work (R6.1). */
record ReportedActivity(Optional<UUID> sourceId, NewActivity row) {

  private static final List<String> TYPES =
      List.of(
          "a2a_send",
          "a2a_receive",
          "task_update",
          "agent_log",
          "skill_promotion",
          "memory_write",
          "error");

  private static final int MAX_WORD_LENGTH = 255;
  private static final long MAX_DURATION_MS = 1L << 53;

  static ReportedActivity read(UUID workspaceId, JsonBody body) {
    String type = body.text("activity_type", MAX_WORD_LENGTH).orElse("");
    if (!TYPES.contains(type)) {
      throw ProblemException.validation(
          "activity_type must be one of: " + String.join(", ", TYPES));
    }
    String requestField = body.rawJson("request_body").isPresent() ? "request_body" : "metadata";
    Optional<RawJson> request = body.rawJson(requestField);
    return new ReportedActivity(
        body.id("source_id"),
        new NewActivity(
            workspaceId,
            type,
            ActivitySource.SELF,
            workspaceId,
            body.id("target_id").orElse(null),
            body.text("method", NewActivity.MAX_METHOD_LENGTH).orElse(null),
            body.text("summary", NewActivity.MAX_SUMMARY_LENGTH).orElse(null),
            new Bodies(
                request.orElse(null),
                body.rawJson("response_body").orElse(null),
                body.rawJson("tool_trace").orElse(null)),
            result(body),
            body.tree(requestField).map(MessageContent::ofRequest).orElse(MessageContent.EMPTY),
            null,
            null,
            null,
            Map.of()));
  }

  /** Reads the whole error text, so that secrets are found before the text is cut. */
  private static ActivityResult result(JsonBody body) {
    return new ActivityResult(
        body.text("status", MAX_WORD_LENGTH)
            .filter(s -> !s.isBlank())
            .orElse(ActivityResult.OK.status()),
        body.text("error_detail", Integer.MAX_VALUE).orElse(null),
        body.longInteger("duration_ms", 0, MAX_DURATION_MS).orElse(null));
  }

  /** Throws {@code FORBIDDEN} if the report names another workspace as its source. */
  void requireOwnName() {
    if (sourceId.isPresent() && !sourceId.get().equals(row.workspaceId())) {
      throw new ProblemException(
          ErrorCode.FORBIDDEN,
          "source_id is another workspace (expected: " + row.workspaceId() + ", or none)");
    }
  }
}

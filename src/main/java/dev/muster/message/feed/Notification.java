package dev.muster.message.feed;

import dev.muster.message.NewActivity;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.text.RawJson;
import dev.muster.platform.text.Text;
import dev.muster.protocol.MessageContent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A notification from the agent to the canvas (R6.5). */
record Notification(String message, Optional<String> replyTo, List<ObjectNode> files) {

  private static final String REPLY_TO = "reply_to";

  private static final int SHOWN_IN_SUMMARY = 80;
  private static final int MAX_URI_LENGTH = 8192;
  private static final int MAX_WORD_LENGTH = 1024;
  private static final long MAX_FILE_BYTES = 1L << 53;

  static Notification read(JsonBody body) {
    String message =
        body.text("message", Integer.MAX_VALUE)
            .filter(text -> !text.isBlank())
            .orElseThrow(() ->
                ProblemException.validation(
                    "message is required (expected: a text that is not empty)"));
    List<ObjectNode> files = new ArrayList<>();
    for (JsonBody attachment : body.objects("attachments").orElse(List.of())) {
      files.add(file(attachment, files.size()));
    }
    return new Notification(
        message, body.text(REPLY_TO, MAX_WORD_LENGTH).filter(id -> !id.isEmpty()), files);
  }

  private static ObjectNode file(JsonBody attachment, int n) {
    String uri = attachment.text("uri", MAX_URI_LENGTH).orElse("");
    String name = attachment.text("name", MAX_WORD_LENGTH).orElse("");
    if (uri.isBlank() || name.isBlank()) {
      throw ProblemException.validation("attachment[" + n + "]: uri and name are required");
    }
    ObjectNode file = JsonNodeFactory.instance.objectNode().put("uri", uri).put("name", name);
    attachment
        .text("mimeType", MAX_WORD_LENGTH)
        .filter(type -> !type.isEmpty())
        .ifPresent(type -> file.put("mimeType", type));
    attachment.longInteger("size", 0, MAX_FILE_BYTES).ifPresent(size -> file.put("size", size));
    return file;
  }

  NewActivity row(UUID workspaceId, JsonMapper json) {
    ObjectNode response = JsonNodeFactory.instance.objectNode().put("result", message);
    if (!files.isEmpty()) {
      addFiles(response.putArray("parts"));
    }
    replyTo.ifPresent(id -> response.put(REPLY_TO, id));
    MessageContent content =
        new MessageContent(
            message, null, null, MessageContent.attachmentsOf(response.path("parts")));
    return NewActivity.notification(
        workspaceId,
        "Agent message: " + Text.cut(message, SHOWN_IN_SUMMARY),
        new RawJson(json.writeValueAsString(response)),
        content);
  }

  private void addFiles(ArrayNode parts) {
    files.forEach(file -> parts.addObject().put("kind", "file").set("file", file));
  }

  /** Returns the notification as a message, with the id of its row. */
  ObjectNode asMessage(UUID rowId) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode().put("messageId", rowId.toString());
    ArrayNode parts = answer.putArray("parts");
    parts.addObject().put("kind", "text").put("text", message);
    addFiles(parts);
    return answer;
  }

  /** Returns the attached files of a stored notification, as the agent sent them. */
  static List<JsonNode> filesOf(RawJson responseBody) {
    JsonNode parts = stored(responseBody).path("parts");
    return parts.valueStream().map(part -> part.path("file")).toList();
  }

  /** Returns the id of the message that a notification answers, if it names one. */
  static Optional<String> answeredBy(RawJson responseBody) {
    JsonNode id = stored(responseBody).path(REPLY_TO);
    return id.isString() ? Optional.of(id.stringValue()) : Optional.empty();
  }

  /** Parses a stored body in Java. The database fails on JSON with an escaped NUL. */
  private static JsonNode stored(RawJson responseBody) {
    return LosslessJson.parse(responseBody.text().getBytes(StandardCharsets.UTF_8));
  }
}

package dev.muster.message.feed;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.muster.message.NewActivity.ActivityResult;
import dev.muster.message.feed.StoredActivity.Truncated;
import dev.muster.message.store.ActivitySource;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.AgentResponse;
import dev.muster.protocol.MessageContent;
import dev.muster.protocol.MessageContent.Attachment;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One message of the conversation between the canvas and an agent.
 *
 * @param id the row's id with {@code :user} or {@code :agent}; it never changes
 * @param role {@code user}, {@code agent}, or {@code system} for an error or a response that is too
 *     large to list
 * @param author the name of the person of a {@code user}, where it is known
 * @param attachments each with {@code uri}; {@code name}, {@code mimeType} and {@code size} where
 *     known
 */
record ChatMessage(
    String id,
    String role,
    String content,
    Instant timestamp,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String author,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<JsonNode> attachments,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Object toolTrace) {

  private static final String USER = "user";
  private static final String AGENT = "agent";
  private static final String SYSTEM = "system";

  /** Converts one row: a canvas message with its response or error, or a notification. */
  static Stream<ChatMessage> of(StoredActivity row, JsonMapper json) {
    return row.source() == ActivitySource.SELF
        ? Stream.of(agent(row, AGENT, row.data().text(), row.createdAt(), filesOfNotification(row)))
        : Stream.concat(Stream.of(user(row, json)), outcome(row));
  }

  private static ChatMessage user(StoredActivity row, JsonMapper json) {
    @Nullable String attachments = row.attachments();
    List<JsonNode> files =
        attachments == null
            ? List.of()
            : Arrays.stream(json.readValue(attachments, Attachment[].class))
                .map(ChatMessage::file)
                .toList();
    return new ChatMessage(
        row.id() + ":user",
        USER,
        row.data().text(),
        row.createdAt(),
        row.data().author(),
        files,
        null);
  }

  /**
   * Returns the response or error of a message. Empty while the message waits or the agent works on
   * it.
   */
  private static Stream<ChatMessage> outcome(StoredActivity row) {
    if (!row.status().equals(ActivityResult.OK.status())) {
      String error = Objects.requireNonNullElse(row.errorDetail(), row.status());
      return Stream.of(agent(row, SYSTEM, error, endOf(row), List.of()));
    }
    return switch (row.responseBody()) {
      case RawJson answer -> answer(row, answer);
      case Truncated large ->
          Stream.of(agent(row, SYSTEM, tooLarge(row, large), endOf(row), List.of()));
      case null, default -> Stream.empty();
    };
  }

  private static Stream<ChatMessage> answer(StoredActivity row, RawJson answer) {
    byte[] utf8 = answer.text().getBytes(StandardCharsets.UTF_8);
    JsonNode document = parsed(utf8);
    JsonNode result = document.path("result");
    JsonNode said = result.path("message").isObject() ? result.path("message") : result;
    List<JsonNode> files =
        MessageContent.attachmentsOf(said.path("parts")).stream().map(ChatMessage::file).toList();
    return AgentResponse.of(document, utf8)
        .said()
        .map(text -> files.isEmpty() || hasText(said) ? text : "")
        .map(text -> agent(row, AGENT, text, endOf(row), files))
        .stream();
  }

  /**
   * Tells whether a response has text parts. For one without, {@link AgentResponse} gives the raw
   * JSON, which the chat must not show beside the files.
   */
  private static boolean hasText(JsonNode said) {
    return !said.path("parts").isArray()
        || said.path("parts").valueStream().anyMatch(part -> part.has("text"));
  }

  private static ChatMessage agent(
      StoredActivity row, String role, String content, Instant at, List<JsonNode> files) {
    return new ChatMessage(row.id() + ":agent", role, content, at, null, files, row.toolTrace());
  }

  private static Instant endOf(StoredActivity row) {
    @Nullable Long millis = row.durationMs();
    return millis == null ? row.createdAt() : row.createdAt().plusMillis(millis);
  }

  private static String tooLarge(StoredActivity row, Truncated answer) {
    return "The answer has "
        + answer.bytes()
        + " bytes, too many for this list; read it whole at /workspaces/"
        + row.workspaceId()
        + "/activity/"
        + row.id();
  }

  private static List<JsonNode> filesOfNotification(StoredActivity row) {
    return row.attachments() != null && row.responseBody() instanceof RawJson body
        ? Notification.filesOf(body)
        : List.of();
  }

  private static JsonNode file(Attachment attachment) {
    ObjectNode file = JsonNodeFactory.instance.objectNode().put("uri", attachment.uri());
    if (attachment.name() != null) {
      file.put("name", attachment.name());
    }
    if (attachment.mimeType() != null) {
      file.put("mimeType", attachment.mimeType());
    }
    return file;
  }

  /**
   * Parses a response. Returns a missing node for JSON that cannot be parsed, such as one nested
   * too deeply; the chat then shows the raw text.
   */
  private static JsonNode parsed(byte[] utf8) {
    try {
      return LosslessJson.parse(utf8);
    } catch (ProblemException notReadable) {
      return MissingNode.getInstance();
    }
  }
}

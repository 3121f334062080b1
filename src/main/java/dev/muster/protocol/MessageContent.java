package dev.muster.protocol;

import dev.muster.protocol.MessageContent.Part;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Extracts the content of a message from a JSON-RPC request, a params object or a message.
 *
 * <p>Parsing is lenient: a missing member or one of another type becomes {@code ""}, null or empty.
 * All texts are unchanged.
 *
 * @param text all text parts, joined by line breaks
 * @param delegationId the message's {@code metadata.delegation_id}
 */
public record MessageContent(
    String text,
    @Nullable String messageId,
    @Nullable String delegationId,
    List<Attachment> attachments) {

  public static final MessageContent EMPTY = new MessageContent("", null, null, List.of());

  private static final int MAX_PARTS = 10_000;

  public MessageContent {
    attachments = List.copyOf(attachments);
  }

  /** Returns the content; {@link #EMPTY} when there is no message. */
  public static MessageContent ofRequest(JsonNode request) {
    JsonNode params = request.has("params") ? request.path("params") : request;
    JsonNode message = params.has("message") ? params.path("message") : params;
    boolean isMessage = message.has("parts") || message.has("content") || params.has("message");
    return isMessage && message.isObject() ? ofMessage(message) : EMPTY;
  }

  /** Returns the files that the parts refer to, in order; empty when {@code parts} is no array. */
  public static List<Attachment> attachmentsOf(JsonNode parts) {
    List<Attachment> attachments = new ArrayList<>();
    for (JsonNode part : array(parts)) {
      Attachment.of(part).ifPresent(attachments::add);
    }
    return List.copyOf(attachments);
  }

  private static MessageContent ofMessage(JsonNode message) {
    JsonNode parts = message.path(message.path("parts").isArray() ? "parts" : "content");
    String text = parts.isString() ? parts.stringValue() : textOf(parts);
    return new MessageContent(
        text,
        Part.first(message, "messageId", "message_id"),
        Part.first(message.path("metadata"), "delegation_id"),
        attachmentsOf(parts));
  }

  private static String textOf(JsonNode parts) {
    return array(parts).stream()
        .flatMap(part -> Part.saidText(part).stream())
        .collect(Collectors.joining("\n"));
  }

  /** Returns the first {@code MAX_PARTS} elements of an array; an object has no parts. */
  private static List<JsonNode> array(JsonNode parts) {
    return parts.isArray() ? parts.valueStream().limit(MAX_PARTS).toList() : List.of();
  }

  /**
   * Reads message parts, which name their kind in {@code kind}, the older {@code type}, or not at
   * all.
   */
  static final class Part {

    private Part() {}

    static Optional<String> kind(JsonNode part) {
      return Optional.ofNullable(first(part, "kind", "type"));
    }

    /** Returns the text of a text part; empty for other parts. */
    static Optional<String> saidText(JsonNode part) {
      JsonNode text = part.path("text");
      boolean isText = text.isString() && kind(part).orElse("text").equals("text");
      return isText ? Optional.of(text.stringValue()) : Optional.empty();
    }

    /** Returns a member if it is a non-empty string. */
    static Optional<String> text(JsonNode object, String name) {
      JsonNode value = object.path(name);
      return value.isString() && !value.stringValue().isEmpty()
          ? Optional.of(value.stringValue())
          : Optional.empty();
    }

    /** Returns the first of these members that is a non-empty string, or null. */
    static @Nullable String first(JsonNode object, String... names) {
      return Arrays.stream(names)
          .flatMap(name -> text(object, name).stream())
          .findFirst()
          .orElse(null);
    }
  }

  /** A file that a message refers to; {@code kind} is the kind that the part declares. */
  public record Attachment(
      String kind, String uri, @Nullable String mimeType, @Nullable String name) {

    private static final String FILE = "file";

    /** Returns the file of a part; empty for other parts and for inline bytes. */
    static Optional<Attachment> of(JsonNode part) {
      String kind = Part.kind(part).orElse(FILE);
      JsonNode file = part.path(FILE);
      if (file.isObject()) {
        return Part.text(file, "uri")
            .map(uri -> new Attachment(kind, uri, mimeType(file), Part.first(file, "name")));
      }
      if (kind.equals("text") || kind.equals("data")) {
        return Optional.empty();
      }
      return Optional.ofNullable(Part.first(part, "url", "uri"))
          .map(uri ->
              new Attachment(kind, uri, mimeType(part), Part.first(part, "filename", "name")));
    }

    private static @Nullable String mimeType(JsonNode file) {
      return Part.first(file, "mimeType", "mediaType");
    }
  }
}

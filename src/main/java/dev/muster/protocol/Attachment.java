package dev.muster.protocol;

import dev.muster.protocol.MessageContent.Part;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

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
        .map(
            uri -> new Attachment(kind, uri, mimeType(part), Part.first(part, "filename", "name")));
  }

  private static @Nullable String mimeType(JsonNode file) {
    return Part.first(file, "mimeType", "mediaType");
  }
}

package dev.muster.protocol;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A file that a message points at; {@code kind} is the part's own word for it. */
public record Attachment(
    String kind, String uri, @Nullable String mimeType, @Nullable String name) {

  private static final String FILE = "file";

  /** Of a part that points at a file; inline bytes are no attachment. */
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

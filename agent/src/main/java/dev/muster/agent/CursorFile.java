package dev.muster.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Loads and saves the cursor of an agent; without a path it does neither. */
final class CursorFile {

  private static final Logger log = LoggerFactory.getLogger(CursorFile.class);
  private static final int MAX_CURSOR_LENGTH = 200;

  /**
   * The cursor and the known messages.
   *
   * @param cursor the id of the last handled activity row; null for none
   * @param seen the identities of the last handled messages, oldest first
   */
  record Place(@Nullable String cursor, List<String> seen) {
    static final Place START = new Place(null, List.of());
  }

  /** Keeps the ids of the last 1,000 handled messages. Not thread-safe. */
  static final class RecentMessageIds {

    static final int MAX_IDS = 1_000;

    private final LinkedHashSet<String> ids = new LinkedHashSet<>();

    RecentMessageIds(Collection<String> oldestFirst) {
      oldestFirst.forEach(this::add);
    }

    boolean contains(String id) {
      return ids.contains(id);
    }

    void add(String id) {
      ids.addLast(id);
      if (ids.size() > MAX_IDS) {
        ids.removeFirst();
      }
    }

    List<String> oldestFirst() {
      return List.copyOf(ids);
    }
  }

  private final @Nullable AtomicFile file;

  CursorFile(@Nullable Path path) {
    file = path == null ? null : new AtomicFile(path);
  }

  /** Loads the file; without a readable one, the server's acknowledged {@code seq} applies. */
  Place load() {
    if (file == null) {
      return Place.START;
    }
    try {
      return file.read().map(CursorFile::parse).orElse(Place.START);
    } catch (IOException e) {
      log.warn("the cursor in {} cannot be read: {}", file.path(), e.toString());
      return Place.START;
    }
  }

  void save(Place place) {
    if (file == null) {
      return;
    }
    ObjectNode json = JsonMapper.shared().createObjectNode().put("cursor", place.cursor());
    place.seen().forEach(json.putArray("seen")::add);
    try {
      file.write(json.toString());
    } catch (IOException e) {
      log.error("the cursor cannot be stored in {}: {}", file.path(), e.toString());
    }
  }

  /** Parses JSON or a bare id, which is the format of other Muster agent libraries. */
  private static Place parse(String text) {
    try {
      JsonNode json = JsonMapper.shared().readTree(text);
      if (json.isObject()) {
        String cursor = json.path("cursor").asString("");
        List<String> seen =
            json.path("seen").isArray()
                ? json.path("seen").valueStream().map(id -> id.asString("")).toList()
                : List.of();
        return new Place(cursor.isEmpty() ? null : cursor, seen);
      }
    } catch (JacksonException e) {
      // not JSON: the text is a bare id
    }
    String bare = text.strip();
    boolean plausible = bare.matches("[!-~]+") && bare.length() <= MAX_CURSOR_LENGTH;
    return plausible ? new Place(bare, List.of()) : Place.START;
  }
}

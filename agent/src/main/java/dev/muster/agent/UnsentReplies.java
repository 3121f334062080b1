package dev.muster.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Keeps unsent replies and reports, oldest first. With a cursor file, each also has a file beside
 * it that only its owner may read. The store keeps the last 1,000 for 7 days each, the longest
 * deadline of a delegation. Safe from any thread.
 */
final class UnsentReplies {

  private static final Logger log = LoggerFactory.getLogger(UnsentReplies.class);
  private static final int MAX_REPLIES = 1_000;
  private static final Duration MAX_AGE = Duration.ofDays(7);

  /**
   * Describes a request to be sent again unchanged.
   *
   * @param what the name of the request in the log
   * @param path the path on the server
   * @param since when the request was made
   */
  record Unsent(String what, String path, JsonNode body, Instant since) {

    private boolean isSameAs(Unsent other) {
      return what.equals(other.what) && path.equals(other.path);
    }
  }

  private final @Nullable Path cursorFile;

  // guarded by this
  private final SequencedMap<Integer, Unsent> kept = new TreeMap<>();

  /** Loads the requests of an earlier process; with null, all are in memory only. */
  UnsentReplies(@Nullable Path cursorFile) {
    this.cursorFile = cursorFile == null ? null : cursorFile.toAbsolutePath();
    load();
  }

  synchronized boolean isEmpty() {
    return kept.isEmpty();
  }

  synchronized List<Unsent> oldestFirst() {
    return List.copyOf(kept.values());
  }

  /** Keeps a request; it replaces one of equal name and path, from a message handled twice. */
  synchronized void keep(Unsent unsent) {
    remove(unsent);
    if (kept.size() >= MAX_REPLIES) {
      Unsent oldest = kept.firstEntry().getValue();
      log.error("{} is dropped: {} others wait to be sent", oldest.what(), MAX_REPLIES);
      remove(oldest);
    }
    int number = kept.isEmpty() ? 1 : kept.lastEntry().getKey() + 1;
    kept.put(number, unsent);
    write(number, unsent);
  }

  synchronized void remove(Unsent unsent) {
    List<Integer> numbers =
        kept.entrySet().stream()
            .filter(entry -> entry.getValue().isSameAs(unsent))
            .map(entry -> entry.getKey())
            .toList();
    for (int number : numbers) {
      kept.remove(number);
      delete(number);
    }
  }

  /** Drops the requests that are older than 7 days. */
  synchronized void expire(Instant now) {
    for (Unsent unsent : oldestFirst()) {
      if (unsent.since().plus(MAX_AGE).isBefore(now)) {
        log.error("{} is dropped: it could not be sent for {}", unsent.what(), MAX_AGE);
        remove(unsent);
      }
    }
  }

  private void write(int number, Unsent unsent) {
    if (cursorFile == null) {
      return;
    }
    Path file = file(cursorFile, number);
    try {
      new AtomicFile(file)
          .write(
              JsonMapper.shared()
                  .createObjectNode()
                  .put("what", unsent.what())
                  .put("path", unsent.path())
                  .put("since", unsent.since().toString())
                  .set("body", unsent.body())
                  .toString());
    } catch (IOException e) {
      log.error("{} cannot be stored in {}: {}", unsent.what(), file, e.toString());
    }
  }

  private void delete(int number) {
    if (cursorFile == null) {
      return;
    }
    try {
      Files.deleteIfExists(file(cursorFile, number));
    } catch (IOException e) {
      log.error("{} cannot be deleted: {}", file(cursorFile, number), e.toString());
    }
  }

  private static Path file(Path cursorFile, int number) {
    return cursorFile.resolveSibling(prefix(cursorFile) + number + ".json");
  }

  private static String prefix(Path cursorFile) {
    return cursorFile.getFileName() + ".unsent-";
  }

  private void load() {
    Path folder = cursorFile == null ? null : cursorFile.getParent();
    if (cursorFile == null || folder == null || !Files.isDirectory(folder)) {
      return;
    }
    String prefix = prefix(cursorFile);
    List<Path> files = new ArrayList<>();
    try (Stream<Path> all = Files.list(folder)) {
      all.filter(file -> file.getFileName().toString().startsWith(prefix)).forEach(files::add);
    } catch (IOException e) {
      log.error("unsent replies cannot be read from {}: {}", folder, e.toString());
    }
    for (Path file : files) {
      String number = file.getFileName().toString().substring(prefix.length());
      if (number.matches("\\d{1,9}\\.json")) {
        read(file)
            .ifPresent(unsent -> kept.put(Integer.parseInt(number.replace(".json", "")), unsent));
      }
    }
  }

  private static Optional<Unsent> read(Path file) {
    try {
      JsonNode json = JsonMapper.shared().readTree(Files.readString(file));
      return Optional.of(
          new Unsent(
              json.path("what").asString(),
              json.path("path").asString(),
              json.path("body"),
              Instant.parse(json.path("since").asString())));
    } catch (IOException | JacksonException | DateTimeException e) {
      log.error("{} cannot be read and is left unchanged: {}", file, e.toString());
      return Optional.empty();
    }
  }
}

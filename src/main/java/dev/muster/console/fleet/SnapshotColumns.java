package dev.muster.console.fleet;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Collects workspaces in the order of their creation, and writes them in format MSF1.
 *
 * <p>MSF1 is {@code "MSF1"}, the length of the head (u32, a multiple of 4), the head as JSON padded
 * with spaces, and the columns, little-endian, each at a multiple of 4. The head's offsets count
 * from the end of the head. docs/internals/console.md lists the columns.
 */
final class SnapshotColumns {

  static final int STALLED = 1;
  static final int PUSH = 2;
  static final int NATIVE_STATUS = 4;
  static final int RESTART_ASKED = 8;
  static final int QUEUED = 16;

  private static final int NO_WORD = 0xFFFF;
  private static final int NO_SMALL_WORD = 0xFF;
  private static final int NEVER = -1;
  private static final long NO_TIME = Long.MAX_VALUE;

  /** One workspace; null texts are absent. */
  record Row(
      UUID id,
      @Nullable UUID parentId,
      String name,
      @Nullable String role,
      String runtime,
      int tier,
      String status,
      @Nullable String reason,
      @Nullable String error,
      long sinceEpochS,
      @Nullable Long lastHeartbeatEpochS,
      int tasks,
      int flags) {}

  /** Gives each different word a number; those beyond {@code most} get none. */
  private static final class Dictionary {
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> words = new ArrayList<>();
    private final int none;

    Dictionary(int none) {
      this.none = none;
    }

    int number(@Nullable String word) {
      if (word == null) {
        return none;
      }
      @Nullable Integer known = numbers.get(word);
      if (known != null) {
        return known;
      }
      if (words.size() == none) {
        return none;
      }
      numbers.put(word, words.size());
      words.add(word);
      return words.size() - 1;
    }
  }

  private final List<Row> rows = new ArrayList<>();
  private final Map<UUID, Integer> places = new HashMap<>();
  private long earliest = NO_TIME;

  void add(Row row) {
    places.put(row.id(), rows.size());
    rows.add(row);
    earliest = Math.min(earliest, row.sinceEpochS());
    if (row.lastHeartbeatEpochS() != null) {
      earliest = Math.min(earliest, row.lastHeartbeatEpochS());
    }
  }

  /** Writes all rows as of the event {@code seq}. */
  byte[] write(long seq, Instant at, JsonMapper json) {
    long base = earliest == NO_TIME ? at.getEpochSecond() : earliest;
    Map<String, Dictionary> dictionaries = dictionaries();
    ByteArrayOutputStream names = new ByteArrayOutputStream();
    Map<String, ByteBuffer> columns = columns();
    for (Row row : rows) {
      names.writeBytes(row.name().getBytes(StandardCharsets.UTF_8));
      put(row, base, names.size(), columns, dictionaries);
    }
    columns.put("names", ByteBuffer.wrap(names.toByteArray()));
    Map<String, Object> head = new LinkedHashMap<>();
    head.put("v", 1);
    head.put("seq", seq);
    head.put("at", at);
    head.put("n", rows.size());
    head.put("base", base);
    Map<String, List<String>> words = new LinkedHashMap<>();
    dictionaries.forEach((name, dictionary) -> words.put(name, dictionary.words));
    head.put("dict", words);
    head.put("dir", directory(columns));
    return assemble(json.writeValueAsBytes(head), columns);
  }

  private static Map<String, Dictionary> dictionaries() {
    Map<String, Dictionary> dictionaries = new LinkedHashMap<>();
    dictionaries.put("status", new Dictionary(NO_SMALL_WORD));
    dictionaries.put("reason", new Dictionary(NO_SMALL_WORD));
    dictionaries.put("role", new Dictionary(NO_WORD));
    dictionaries.put("runtime", new Dictionary(NO_WORD));
    dictionaries.put("error", new Dictionary(NO_WORD));
    return dictionaries;
  }

  private Map<String, ByteBuffer> columns() {
    Map<String, ByteBuffer> columns = new LinkedHashMap<>();
    columns.put("id", ByteBuffer.allocate(16 * rows.size()));
    for (String name : List.of("parent", "since", "heard", "name_end")) {
      columns.put(name, littleEndian(4));
    }
    for (String name : List.of("role", "runtime", "error", "tasks")) {
      columns.put(name, littleEndian(2));
    }
    for (String name : List.of("tier", "status", "reason", "flags")) {
      columns.put(name, littleEndian(1));
    }
    return columns;
  }

  private ByteBuffer littleEndian(int bytes) {
    return ByteBuffer.allocate(bytes * rows.size()).order(ByteOrder.LITTLE_ENDIAN);
  }

  private void put(
      Row row, long base, int nameEnd, Map<String, ByteBuffer> to, Map<String, Dictionary> words) {
    @Nullable Integer parent = row.parentId() == null ? null : places.get(row.parentId());
    @Nullable Long lastHeartbeat = row.lastHeartbeatEpochS();
    of(to, "id").putLong(row.id().getMostSignificantBits());
    of(to, "id").putLong(row.id().getLeastSignificantBits());
    of(to, "parent").putInt(parent == null ? -1 : parent);
    of(to, "since").putInt((int) (row.sinceEpochS() - base));
    of(to, "heard").putInt(lastHeartbeat == null ? NEVER : (int) (lastHeartbeat - base));
    of(to, "name_end").putInt(nameEnd);
    of(to, "role").putShort((short) of(words, "role").number(row.role()));
    of(to, "runtime").putShort((short) of(words, "runtime").number(row.runtime()));
    of(to, "error").putShort((short) of(words, "error").number(row.error()));
    of(to, "tasks").putShort((short) Math.min(row.tasks(), NO_WORD));
    of(to, "tier").put((byte) row.tier());
    of(to, "status").put((byte) of(words, "status").number(row.status()));
    of(to, "reason").put((byte) of(words, "reason").number(row.reason()));
    of(to, "flags").put((byte) row.flags());
  }

  private static <T> T of(Map<String, T> map, String name) {
    T found = map.get(name);
    if (found == null) {
      throw new IllegalStateException(name + " is no column, which indicates a bug");
    }
    return found;
  }

  private static Map<String, List<Integer>> directory(Map<String, ByteBuffer> columns) {
    Map<String, List<Integer>> directory = new LinkedHashMap<>();
    int offset = 0;
    for (var column : columns.entrySet()) {
      int bytes = column.getValue().capacity();
      directory.put(column.getKey(), List.of(offset, bytes));
      offset += aligned(bytes);
    }
    return directory;
  }

  private static byte[] assemble(byte[] head, Map<String, ByteBuffer> columns) {
    int size = columns.values().stream().mapToInt(column -> aligned(column.capacity())).sum();
    ByteBuffer all =
        ByteBuffer.allocate(8 + aligned(head.length) + size).order(ByteOrder.LITTLE_ENDIAN);
    all.put("MSF1".getBytes(StandardCharsets.US_ASCII)).putInt(aligned(head.length)).put(head);
    for (int i = head.length; i < aligned(head.length); i++) {
      all.put((byte) ' ');
    }
    for (ByteBuffer column : columns.values()) {
      all.put(column.clear());
      all.position(aligned(all.position()));
    }
    return all.array();
  }

  private static int aligned(int bytes) {
    return (bytes + 3) / 4 * 4;
  }
}

package dev.muster.console.fleet;

import dev.muster.console.fleet.BinaryTable.Words;
import java.io.ByteArrayOutputStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Collects workspaces in the order of their creation, and writes them in format MSF1.
 *
 * <p>docs/internals/console.md lists the columns.
 */
public final class SnapshotColumns {

  static final int STALLED = 1;
  public static final int PUSH = 2;
  static final int NATIVE_STATUS = 4;
  static final int RESTART_ASKED = 8;
  static final int QUEUED = 16;

  private static final int NEVER = -1;
  private static final long NO_TIME = Long.MAX_VALUE;

  /**
   * One workspace. Absent texts are null, and so is the status of a workspace that did not exist
   * yet.
   */
  public record Row(
      UUID id,
      @Nullable UUID parentId,
      String name,
      @Nullable String role,
      String runtime,
      int tier,
      @Nullable String status,
      @Nullable String reason,
      @Nullable String error,
      long sinceEpochS,
      @Nullable Long lastHeartbeatEpochS,
      int tasks,
      int flags) {}

  private final List<Row> rows = new ArrayList<>();
  private final Map<UUID, Integer> places = new HashMap<>();
  private long earliest = NO_TIME;

  public void add(Row row) {
    places.put(row.id(), rows.size());
    rows.add(row);
    earliest = Math.min(earliest, row.sinceEpochS());
    if (row.lastHeartbeatEpochS() != null) {
      earliest = Math.min(earliest, row.lastHeartbeatEpochS());
    }
  }

  /** Writes all rows as of the event {@code seq}. */
  public byte[] write(long seq, Instant at, JsonMapper json) {
    long base = earliest == NO_TIME ? at.getEpochSecond() : earliest;
    Map<String, Words> dictionaries = dictionaries();
    ByteArrayOutputStream names = new ByteArrayOutputStream();
    BinaryTable table = table();
    for (Row row : rows) {
      names.writeBytes(row.name().getBytes(StandardCharsets.UTF_8));
      put(row, base, names.size(), table, dictionaries);
    }
    table.add("names", names.toByteArray());
    Map<String, Object> head = new LinkedHashMap<>();
    head.put("v", 1);
    head.put("seq", seq);
    head.put("at", at);
    head.put("n", rows.size());
    head.put("base", base);
    Map<String, List<String>> words = new LinkedHashMap<>();
    dictionaries.forEach((name, dictionary) -> words.put(name, dictionary.list()));
    head.put("dict", words);
    return table.write(head, json);
  }

  private static Map<String, Words> dictionaries() {
    Map<String, Words> dictionaries = new LinkedHashMap<>();
    dictionaries.put("status", new Words(BinaryTable.NO_SMALL_WORD));
    dictionaries.put("reason", new Words(BinaryTable.NO_SMALL_WORD));
    dictionaries.put("role", new Words(BinaryTable.NO_WORD));
    dictionaries.put("runtime", new Words(BinaryTable.NO_WORD));
    dictionaries.put("error", new Words(BinaryTable.NO_WORD));
    return dictionaries;
  }

  private BinaryTable table() {
    BinaryTable table = new BinaryTable("MSF1");
    table.add("id", 16, rows.size()).order(ByteOrder.BIG_ENDIAN);
    for (String name : List.of("parent", "since", "heard", "name_end")) {
      table.add(name, 4, rows.size());
    }
    for (String name : List.of("role", "runtime", "error", "tasks")) {
      table.add(name, 2, rows.size());
    }
    for (String name : List.of("tier", "status", "reason", "flags")) {
      table.add(name, 1, rows.size());
    }
    return table;
  }

  private void put(Row row, long base, int nameEnd, BinaryTable to, Map<String, Words> words) {
    @Nullable Integer parent = row.parentId() == null ? null : places.get(row.parentId());
    @Nullable Long lastHeartbeat = row.lastHeartbeatEpochS();
    to.column("id").putLong(row.id().getMostSignificantBits());
    to.column("id").putLong(row.id().getLeastSignificantBits());
    to.column("parent").putInt(parent == null ? -1 : parent);
    to.column("since").putInt((int) (row.sinceEpochS() - base));
    to.column("heard").putInt(lastHeartbeat == null ? NEVER : (int) (lastHeartbeat - base));
    to.column("name_end").putInt(nameEnd);
    to.column("role").putShort((short) number(words, "role", row.role()));
    to.column("runtime").putShort((short) number(words, "runtime", row.runtime()));
    to.column("error").putShort((short) number(words, "error", row.error()));
    to.column("tasks").putShort((short) Math.min(row.tasks(), BinaryTable.NO_WORD));
    to.column("tier").put((byte) row.tier());
    to.column("status").put((byte) number(words, "status", row.status()));
    to.column("reason").put((byte) number(words, "reason", row.reason()));
    to.column("flags").put((byte) row.flags());
  }

  private static int number(Map<String, Words> words, String name, @Nullable String word) {
    return Objects.requireNonNull(words.get(name), name).number(word);
  }
}

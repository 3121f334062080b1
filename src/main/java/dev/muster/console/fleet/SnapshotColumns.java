package dev.muster.console.fleet;

import dev.muster.console.fleet.BinaryTable.Words;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
  static final int PUSH = 2;
  static final int NATIVE_STATUS = 4;
  static final int RESTART_ASKED = 8;
  static final int QUEUED = 16;

  /** No parent, or no heartbeat yet. */
  private static final int NONE = -1;

  private static final long NO_TIME = Long.MAX_VALUE;

  /**
   * The state of a workspace. Absent texts are null, and so is the status of a workspace that did
   * not exist yet. {@code stalledEpochS} is when its stall began; null when it is not stalled, or
   * when that is unknown.
   */
  public record State(
      @Nullable String status,
      @Nullable String reason,
      @Nullable String error,
      long sinceEpochS,
      @Nullable Long lastHeartbeatEpochS,
      int tasks,
      int flags,
      @Nullable Long stalledEpochS) {}

  private record Row(FleetWorkspace workspace, State state) {}

  private final List<Row> rows = new ArrayList<>();
  private final Set<UUID> parents = new HashSet<>();
  private long earliest = NO_TIME;
  private int stalls;

  public void add(FleetWorkspace workspace, State state) {
    rows.add(new Row(workspace, state));
    if (workspace.parentId() != null) {
      parents.add(workspace.parentId());
    }
    earliest = Math.min(earliest, state.sinceEpochS());
    if (state.lastHeartbeatEpochS() != null) {
      earliest = Math.min(earliest, state.lastHeartbeatEpochS());
    }
    if (state.stalledEpochS() != null) {
      earliest = Math.min(earliest, state.stalledEpochS());
      stalls++;
    }
  }

  /** Writes all rows as of the event {@code seq}. */
  public BinaryAnswer write(long seq, Instant at, JsonMapper json) {
    long base = earliest == NO_TIME ? at.getEpochSecond() : earliest;
    Map<UUID, Integer> places = placesOfParents();
    Columns columns = new Columns(rows.size(), stalls, base);
    for (Row row : rows) {
      @Nullable UUID parent = row.workspace().parentId();
      columns.put(
          row.workspace(), row.state(), parent == null ? NONE : places.getOrDefault(parent, NONE));
    }
    Map<String, Object> head = new LinkedHashMap<>();
    head.put("v", 1);
    head.put("seq", seq);
    head.put("at", at);
    head.put("n", rows.size());
    head.put("base", base);
    return columns.write(head, json);
  }

  private Map<UUID, Integer> placesOfParents() {
    Map<UUID, Integer> places = HashMap.newHashMap(parents.size());
    for (int i = 0; i < rows.size(); i++) {
      UUID id = rows.get(i).workspace().id();
      if (parents.contains(id)) {
        places.put(id, i);
      }
    }
    return places;
  }

  /** The columns of all rows, with the dictionaries of their words. */
  private static final class Columns {

    private final BinaryTable table;
    private final ByteArrayOutputStream names = new ByteArrayOutputStream();
    private final long base;
    private final ByteBuffer parent;
    private final ByteBuffer since;
    private final ByteBuffer lastHeartbeat;
    private final ByteBuffer nameEnd;
    private final ByteBuffer role;
    private final ByteBuffer runtime;
    private final ByteBuffer error;
    private final ByteBuffer tasks;
    private final ByteBuffer tier;
    private final ByteBuffer status;
    private final ByteBuffer reason;
    private final ByteBuffer flags;
    private final ByteBuffer stallRow;
    private final ByteBuffer stallAt;
    private final Words statuses = new Words(BinaryTable.NO_SMALL_WORD);
    private final Words reasons = new Words(BinaryTable.NO_SMALL_WORD);
    private final Words roles = new Words(BinaryTable.NO_WORD);
    private final Words runtimes = new Words(BinaryTable.NO_WORD);
    private final Words errors = new Words(BinaryTable.NO_WORD);
    private int row;

    /** Times are seconds after {@code base}. */
    Columns(int rows, int stalls, long base) {
      this.base = base;
      this.table = new BinaryTable("MSF1", rows);
      this.parent = table.add("parent", 4, rows);
      this.since = table.add("since", 4, rows);
      this.lastHeartbeat = table.add("heard", 4, rows);
      this.nameEnd = table.add("name_end", 4, rows);
      this.role = table.add("role", 2, rows);
      this.runtime = table.add("runtime", 2, rows);
      this.error = table.add("error", 2, rows);
      this.tasks = table.add("tasks", 2, rows);
      this.tier = table.add("tier", 1, rows);
      this.status = table.add("status", 1, rows);
      this.reason = table.add("reason", 1, rows);
      this.flags = table.add("flags", 1, rows);
      this.stallRow = table.add("stall_row", 4, stalls);
      this.stallAt = table.add("stall_at", 4, stalls);
    }

    void put(FleetWorkspace workspace, State state, int placeOfParent) {
      @Nullable Long heartbeat = state.lastHeartbeatEpochS();
      names.writeBytes(workspace.name().getBytes(StandardCharsets.UTF_8));
      table.putId(workspace.id());
      parent.putInt(placeOfParent);
      since.putInt((int) (state.sinceEpochS() - base));
      lastHeartbeat.putInt(heartbeat == null ? NONE : (int) (heartbeat - base));
      nameEnd.putInt(names.size());
      role.putShort((short) roles.number(workspace.role()));
      runtime.putShort((short) runtimes.number(workspace.runtime()));
      error.putShort((short) errors.number(state.error()));
      tasks.putShort((short) Math.min(state.tasks(), BinaryTable.NO_WORD));
      tier.put((byte) workspace.tier());
      status.put((byte) statuses.number(state.status()));
      reason.put((byte) reasons.number(state.reason()));
      flags.put((byte) (state.flags() | (workspace.isPush() ? PUSH : 0)));
      @Nullable Long stalled = state.stalledEpochS();
      if (stalled != null) {
        stallRow.putInt(row);
        stallAt.putInt((int) (stalled - base));
      }
      row++;
    }

    BinaryAnswer write(Map<String, Object> head, JsonMapper json) {
      table.add("names", names.toByteArray());
      head.put(
          "dict",
          Map.of(
              "status", statuses.list(),
              "reason", reasons.list(),
              "role", roles.list(),
              "runtime", runtimes.list(),
              "error", errors.list()));
      return table.write(head, json);
    }
  }
}

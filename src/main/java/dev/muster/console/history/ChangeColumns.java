package dev.muster.console.history;

import dev.muster.console.fleet.BinaryAnswer;
import dev.muster.console.fleet.BinaryTable;
import dev.muster.console.fleet.BinaryTable.Words;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Collects status changes in the order of their times and writes them in format MSC1. The format is
 * described in docs/internals/console.md.
 */
final class ChangeColumns {

  private record Change(int row, long atMs, int was, int status, int reason, int error) {}

  private final Instant from;
  private final Instant to;
  private final int most;
  private final List<Change> changes = new ArrayList<>();
  private final Map<UUID, Integer> rows = new LinkedHashMap<>();
  private final Words statuses = new Words(BinaryTable.NO_SMALL_WORD);
  private final Words reasons = new Words(BinaryTable.NO_SMALL_WORD);
  private final Words errors = new Words(BinaryTable.NO_WORD);

  /**
   * Takes the changes after {@code from} until {@code to}, of which at most {@code most} are
   * written.
   */
  ChangeColumns(Instant from, Instant to, int most) {
    this.from = from;
    this.to = to;
    this.most = most;
  }

  /**
   * Adds a change.
   *
   * @param atMs milliseconds after {@code from}
   * @param was the status before; null for a new workspace
   */
  void add(
      UUID id,
      long atMs,
      @Nullable String was,
      String status,
      @Nullable String reason,
      @Nullable String error) {
    int row = rows.computeIfAbsent(id, added -> rows.size());
    changes.add(
        new Change(
            row,
            atMs,
            statuses.number(was),
            statuses.number(status),
            reasons.number(reason),
            errors.number(error)));
  }

  BinaryAnswer write(JsonMapper json) {
    Instant end = to;
    if (changes.size() > most) {
      long cut = changes.get(most).atMs();
      changes.removeIf(change -> change.atMs() >= cut);
      end = from.plusMillis(cut - 1);
    }
    BinaryTable table = new BinaryTable("MSC1", rows.size());
    rows.keySet().forEach(table::putId);
    ByteBuffer row = table.add("row", 4, changes.size());
    ByteBuffer at = table.add("at", 4, changes.size());
    ByteBuffer error = table.add("error", 2, changes.size());
    ByteBuffer was = table.add("was", 1, changes.size());
    ByteBuffer now = table.add("now", 1, changes.size());
    ByteBuffer reason = table.add("reason", 1, changes.size());
    for (Change change : changes) {
      row.putInt(change.row());
      at.putInt((int) change.atMs());
      error.putShort((short) change.error());
      was.put((byte) change.was());
      now.put((byte) change.status());
      reason.put((byte) change.reason());
    }
    Map<String, Object> head = new LinkedHashMap<>();
    head.put("v", 1);
    head.put("from", from);
    head.put("to", end);
    head.put("n", changes.size());
    head.put(
        "dict",
        Map.of("status", statuses.list(), "reason", reasons.list(), "error", errors.list()));
    return table.write(head, json);
  }
}

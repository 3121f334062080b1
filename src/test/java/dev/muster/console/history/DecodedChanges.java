package dev.muster.console.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads format MSC1 as docs/internals/console.md describes it, with nothing of the server's code.
 */
record DecodedChanges(Instant from, Instant to, List<Change> changes) {

  record Change(
      UUID id,
      Instant at,
      @Nullable String was,
      String now,
      @Nullable String reason,
      @Nullable String error) {}

  static DecodedChanges of(byte[] bytes) {
    ByteBuffer all = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    byte[] magic = new byte[4];
    all.get(magic);
    assertThat(new String(magic, StandardCharsets.US_ASCII)).isEqualTo("MSC1");
    byte[] text = new byte[all.getInt()];
    all.get(text);
    JsonNode head = JsonMapper.shared().readTree(text);
    int start = 8 + text.length;
    Instant from = Instant.parse(head.path("from").asString());
    List<Change> changes = new ArrayList<>();
    for (int i = 0; i < head.path("n").asInt(); i++) {
      int row = all.getInt(at(head, start, "row", 4 * i));
      ByteBuffer ids = all.duplicate().order(ByteOrder.BIG_ENDIAN);
      int id = at(head, start, "id", 16 * row);
      int atMs = all.getInt(at(head, start, "at", 4 * i));
      changes.add(
          new Change(
              new UUID(ids.getLong(id), ids.getLong(id + 8)),
              from.plusMillis(Integer.toUnsignedLong(atMs)),
              word(head, "status", Byte.toUnsignedInt(all.get(at(head, start, "was", i))), 255),
              String.valueOf(
                  word(
                      head, "status", Byte.toUnsignedInt(all.get(at(head, start, "now", i))), 255)),
              word(head, "reason", Byte.toUnsignedInt(all.get(at(head, start, "reason", i))), 255),
              word(
                  head,
                  "error",
                  Short.toUnsignedInt(all.getShort(at(head, start, "error", 2 * i))),
                  65535)));
    }
    return new DecodedChanges(from, Instant.parse(head.path("to").asString()), changes);
  }

  private static int at(JsonNode head, int start, String column, int place) {
    int offset = head.path("dir").path(column).path(0).asInt();
    assertThat(offset % 4).as(column).isZero();
    return start + offset + place;
  }

  private static @Nullable String word(JsonNode head, String dictionary, int number, int none) {
    return number == none ? null : head.path("dict").path(dictionary).path(number).asString();
  }
}

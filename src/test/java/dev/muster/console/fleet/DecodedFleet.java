package dev.muster.console.fleet;

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
 * Reads format MSF1 as docs/internals/console.md describes it, with nothing of the server's code.
 */
public record DecodedFleet(long seq, Instant at, int bytes, List<Row> rows) {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int ROW_BYTES = 16 + 4 * 4 + 4 * 2 + 4;

  public record Row(
      UUID id,
      @Nullable UUID parent,
      String name,
      @Nullable String role,
      String runtime,
      int tier,
      String status,
      @Nullable String reason,
      @Nullable String error,
      Instant since,
      @Nullable Instant lastHeartbeat,
      int tasks,
      int flags,
      @Nullable Instant stalledSince) {}

  public static DecodedFleet of(byte[] bytes) {
    ByteBuffer all = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    byte[] magic = new byte[4];
    all.get(magic);
    assertThat(new String(magic, StandardCharsets.US_ASCII)).isEqualTo("MSF1");
    int headLength = all.getInt();
    assertThat(headLength % 4).isZero();
    JsonNode head = JSON.readTree(bytes, 8, headLength);
    assertThat(head.path("v").asInt()).isEqualTo(1);
    Reader reader = new Reader(all, 8 + headLength, head);
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < head.path("n").asInt(); i++) {
      rows.add(reader.row(i));
    }
    return new DecodedFleet(
        head.path("seq").asLong(), Instant.parse(head.path("at").asString()), bytes.length, rows);
  }

  /** Reads a column's bytes at the offsets of the head. */
  private record Reader(ByteBuffer all, int start, JsonNode head) {

    private int at(String column, int bytes, int row) {
      JsonNode place = head.path("dir").path(column);
      int offset = place.path(0).asInt();
      assertThat(offset % 4).as(column).isZero();
      assertThat(place.path(1).asInt()).as(column).isEqualTo(bytes * head.path("n").asInt());
      return start + offset + bytes * row;
    }

    private int u32(String column, int row) {
      return all.getInt(at(column, 4, row));
    }

    private int u16(String column, int row) {
      return Short.toUnsignedInt(all.getShort(at(column, 2, row)));
    }

    private int u8(String column, int row) {
      return Byte.toUnsignedInt(all.get(at(column, 1, row)));
    }

    private @Nullable String word(String column, int number, int none) {
      return number == none ? null : head.path("dict").path(column).path(number).asString();
    }

    private UUID id(int row) {
      ByteBuffer bigEndian = all.duplicate().order(ByteOrder.BIG_ENDIAN);
      int at = at("id", 16, row);
      return new UUID(bigEndian.getLong(at), bigEndian.getLong(at + 8));
    }

    private String name(int row) {
      int from = row == 0 ? 0 : u32("name_end", row - 1);
      byte[] name = new byte[u32("name_end", row) - from];
      all.get(start + head.path("dir").path("names").path(0).asInt() + from, name);
      return new String(name, StandardCharsets.UTF_8);
    }

    private Instant time(int seconds) {
      return Instant.ofEpochSecond(head.path("base").asLong() + Integer.toUnsignedLong(seconds));
    }

    Row row(int i) {
      int parent = u32("parent", i);
      int lastHeartbeat = u32("heard", i);
      return new Row(
          id(i),
          parent == -1 ? null : id(parent),
          name(i),
          word("role", u16("role", i), 65535),
          String.valueOf(word("runtime", u16("runtime", i), 65535)),
          u8("tier", i),
          String.valueOf(word("status", u8("status", i), 255)),
          word("reason", u8("reason", i), 255),
          word("error", u16("error", i), 65535),
          time(u32("since", i)),
          lastHeartbeat == -1 ? null : time(lastHeartbeat),
          u16("tasks", i),
          u8("flags", i),
          stalledSince(i));
    }

    /** Only rows that are stalled have a place in these columns. */
    private @Nullable Instant stalledSince(int row) {
      JsonNode rows = head.path("dir").path("stall_row");
      JsonNode times = head.path("dir").path("stall_at");
      assertThat(times.path(1).asInt(-1)).isEqualTo(rows.path(1).asInt());
      for (int i = 0; i < rows.path(1).asInt(); i += 4) {
        if (all.getInt(start + rows.path(0).asInt() + i) == row) {
          return time(all.getInt(start + times.path(0).asInt() + i));
        }
      }
      return null;
    }
  }

  /** The bytes of a row besides its name, which the format fixes. */
  static int rowBytes() {
    return ROW_BYTES;
  }
}

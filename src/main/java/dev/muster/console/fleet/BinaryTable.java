package dev.muster.console.fleet;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes columns of one length in the frame of the console's binary formats, which
 * docs/internals/console.md describes.
 *
 * <p>The frame is four letters, the length of the head (u32, a multiple of 4), the head as JSON
 * padded with spaces, and the columns. Columns are little-endian, and each begins at a multiple of
 * 4. The first column has the ids, which are big-endian. Offsets in the head count from the end of
 * the head.
 */
public final class BinaryTable {

  public static final int NO_WORD = 0xFFFF;
  public static final int NO_SMALL_WORD = 0xFF;

  /** Numbers the distinct words of a column; words after the first {@code none} get no number. */
  public static final class Words {
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> words = new ArrayList<>();
    private final int none;
    private @Nullable String last;
    private int numberOfLast;

    public Words(int none) {
      this.none = none;
    }

    /** Returns the word's number; {@code none} for null. */
    public int number(@Nullable String word) {
      if (word == null) {
        return none;
      }
      if (!word.equals(last)) {
        numberOfLast = find(word);
        last = word;
      }
      return numberOfLast;
    }

    private int find(String word) {
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

    /** Returns the words by their numbers. */
    public List<String> list() {
      return words;
    }
  }

  private final String magic;
  private final ByteBuffer ids;
  private final Map<String, ByteBuffer> columns = new LinkedHashMap<>();

  /** Takes the four letters of the format, and how many ids there are. */
  public BinaryTable(String magic, int ids) {
    this.magic = magic;
    this.ids = add("id", 16, ids).order(ByteOrder.BIG_ENDIAN);
  }

  /** Adds the next id. */
  public void putId(UUID id) {
    ids.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
  }

  /**
   * Adds a column with space for its values; the caller fills all columns before {@link #write}.
   */
  public ByteBuffer add(String name, int bytesOfAValue, int values) {
    ByteBuffer column = ByteBuffer.allocate(bytesOfAValue * values).order(ByteOrder.LITTLE_ENDIAN);
    columns.put(name, column);
    return column;
  }

  void add(String name, byte[] bytes) {
    columns.put(name, ByteBuffer.wrap(bytes));
  }

  /** Writes all columns, with the head and its directory {@code dir}. */
  public BinaryAnswer write(Map<String, ? extends Object> head, JsonMapper json) {
    Map<String, Object> all = new LinkedHashMap<>(head);
    all.put("dir", directory());
    byte[] headBytes = json.writeValueAsBytes(all);
    int idsFrom = 8 + aligned(headBytes.length);
    return BinaryAnswer.of(assemble(headBytes), idsFrom, idsFrom + ids.capacity());
  }

  private Map<String, List<Integer>> directory() {
    Map<String, List<Integer>> directory = new LinkedHashMap<>();
    int offset = 0;
    for (var column : columns.entrySet()) {
      int bytes = column.getValue().capacity();
      directory.put(column.getKey(), List.of(offset, bytes));
      offset += aligned(bytes);
    }
    return directory;
  }

  private byte[] assemble(byte[] head) {
    int size = columns.values().stream().mapToInt(column -> aligned(column.capacity())).sum();
    ByteBuffer all =
        ByteBuffer.allocate(8 + aligned(head.length) + size).order(ByteOrder.LITTLE_ENDIAN);
    all.put(magic.getBytes(StandardCharsets.US_ASCII)).putInt(aligned(head.length)).put(head);
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

package dev.muster.platform.http;

import dev.muster.platform.problem.ProblemException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Base64;
import java.util.UUID;

/**
 * Marks the row after which a keyset-paged list continues, by time and id.
 *
 * <p>Its text is opaque to clients (R0.10).
 */
public record PageCursor(Instant createdAt, UUID id) {

  /** Precedes every possible row. */
  public static final PageCursor START = new PageCursor(Instant.EPOCH, new UUID(0, 0));

  /** Follows every possible row. */
  public static final PageCursor END =
      new PageCursor(Instant.parse("9999-12-31T00:00:00Z"), new UUID(-1, -1));

  private static final int BYTES = 3 * Long.BYTES + Integer.BYTES;

  public String text() {
    byte[] bytes =
        ByteBuffer.allocate(BYTES)
            .putLong(createdAt.getEpochSecond())
            .putInt(createdAt.getNano())
            .putLong(id.getMostSignificantBits())
            .putLong(id.getLeastSignificantBits())
            .array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /**
   * Parses a cursor. Refuses text that {@link #text} did not write with {@code VALIDATION_FAILED}.
   */
  public static PageCursor parse(String text) {
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(text);
      if (bytes.length == BYTES) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        Instant createdAt = Instant.ofEpochSecond(in.getLong(), in.getInt());
        PageCursor cursor = new PageCursor(createdAt, new UUID(in.getLong(), in.getLong()));
        if (isStorable(createdAt) && cursor.text().equals(text)) {
          return cursor;
        }
      }
    } catch (IllegalArgumentException | java.time.DateTimeException invalid) {
      // falls through to the shared error below
    }
    throw ProblemException.validation(
        "cursor: not one of this list (expected: the cursor of the last page's Link header)");
  }

  private static boolean isStorable(Instant time) {
    return !time.isBefore(Instant.EPOCH)
        && time.getEpochSecond() < 253_402_300_800L; // start of the year 10000
  }
}

package dev.muster.message;

import static java.time.temporal.ChronoUnit.MICROS;

import dev.muster.message.store.ActivityKey;
import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoField;
import java.util.UUID;

/**
 * Builds and parses the public ids of rows, UUIDs of version 7 (RFC 9562). An id has 48 bits of
 * milliseconds, 10 of microseconds, 34 of {@code seq} and 30 of a hash of the feed's id. So an id
 * needs no column of its own, and it names the row to read.
 */
public final class RowId {

  private static final int SEQ_BITS_BELOW = 32;
  private static final int FEED_BITS = 30;
  private static final long FEED_MASK = (1L << FEED_BITS) - 1;
  private static final long VERSION_7 = 7L << 12;
  private static final long VARIANT = 1L << 63;

  private RowId() {}

  /**
   * Builds an id.
   *
   * @param createdAt in whole microseconds, as the database stores it
   */
  public static UUID of(UUID workspaceId, long seq, Instant createdAt) {
    long micros = createdAt.get(ChronoField.MICRO_OF_SECOND) % 1000;
    long high =
        createdAt.toEpochMilli() << 16 | VERSION_7 | micros << 2 | (seq >>> SEQ_BITS_BELOW & 3);
    long low = VARIANT | (seq & 0xffff_ffffL) << FEED_BITS | feedBits(workspaceId);
    return new UUID(high, low);
  }

  /** Reads the columns {@code workspace_id}, {@code seq} and {@code created_at}. */
  public static UUID of(ResultSet row) throws SQLException {
    ActivityKey key = ActivityKey.of(row);
    return of(key.workspaceId(), key.seq(), Timestamps.instant(row, "created_at"));
  }

  /** Returns the {@code seq} in an id. The result is arbitrary for an id that is no row's. */
  public static long seqOf(UUID id) {
    return (id.getMostSignificantBits() & 3) << SEQ_BITS_BELOW
        | (id.getLeastSignificantBits() >>> FEED_BITS & 0xffff_ffffL);
  }

  /** Returns the hash of the feed's id in an id, which SQL computes by {@code feed_bits}. */
  public static long feedBitsOf(UUID id) {
    return id.getLeastSignificantBits() & FEED_MASK;
  }

  /** Returns the time in an id, in whole microseconds. */
  public static Instant createdAtOf(UUID id) {
    long micros = id.getMostSignificantBits() >>> 2 & 0x3ff;
    return Instant.ofEpochMilli(id.getMostSignificantBits() >>> 16).plus(micros, MICROS);
  }

  private static long feedBits(UUID workspaceId) {
    long bits = workspaceId.getMostSignificantBits() ^ workspaceId.getLeastSignificantBits();
    return (bits ^ (bits >>> FEED_BITS) ^ (bits >>> (2 * FEED_BITS))) & FEED_MASK;
  }
}

package dev.muster.activity;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.TimeBasedEpochRandomGenerator;
import java.time.Instant;
import java.util.UUID;

/**
 * A new row with its place in its feed; the id is of version 7, with the database's time in it.
 *
 * @param feedBytes the bytes of all rows before it
 */
record PlacedActivity(
    UUID id, long seq, Instant createdAt, long feedBytes, RowSize size, NewActivity row) {

  private static final TimeBasedEpochRandomGenerator IDS =
      Generators.timeBasedEpochRandomGenerator();

  /** {@code place} is the head that ends with this row. */
  static PlacedActivity at(FeedHead place, RowSize size, NewActivity row) {
    Instant createdAt = place.lastCreatedAt();
    return new PlacedActivity(
        IDS.construct(createdAt.toEpochMilli()),
        place.lastSeq(),
        createdAt,
        place.totalBytes() - size.whole(),
        size,
        row);
  }
}

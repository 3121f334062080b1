package dev.muster.activity;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.TimeBasedEpochRandomGenerator;
import java.time.Instant;
import java.util.UUID;

/** A new row with its place in its feed; the id is of version 7, with the database's time in it. */
record PlacedActivity(UUID id, long seq, Instant createdAt, NewActivity row) {

  private static final TimeBasedEpochRandomGenerator IDS =
      Generators.timeBasedEpochRandomGenerator();

  static PlacedActivity at(FeedHead place, NewActivity row) {
    Instant createdAt = place.lastCreatedAt();
    return new PlacedActivity(
        IDS.construct(createdAt.toEpochMilli()), place.lastSeq(), createdAt, row);
  }
}

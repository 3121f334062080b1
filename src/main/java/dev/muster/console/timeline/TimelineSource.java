package dev.muster.console.timeline;

import dev.muster.console.timeline.TimelineCursor.Lane;
import dev.muster.console.timeline.TimelineCursor.Place;
import dev.muster.console.timeline.TimelineEntry.Kind;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Reads the rows of one kind of a workspace, newest first. Every read is bounded. */
interface TimelineSource {

  /**
   * A row that was read.
   *
   * @param entries its entries; empty for a row that is skipped
   */
  record Row(Instant at, Place place, List<TimelineEntry> entries) {}

  Lane lane();

  /** The kinds of the entries that its rows may have. */
  Set<Kind> kinds();

  /**
   * Reads the next rows before a place, at most {@code limit}. Fewer rows mean that there are no
   * more.
   */
  List<Row> before(UUID workspaceId, Place place, int limit);

  /** Returns a place after every row that is older than the time. */
  Place placeOf(UUID workspaceId, Instant time);
}

package dev.muster.console.timeline;

import dev.muster.console.timeline.TimelineCursor.Lane;
import dev.muster.console.timeline.TimelineCursor.Place;
import dev.muster.console.timeline.TimelineEntry.Kind;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Rows of one kind of a workspace, newest first. Every read is bounded. */
interface TimelineSource {

  /**
   * A row that was read.
   *
   * @param entries what it shows, none for a row that is only passed
   */
  record Row(Instant at, Place place, List<TimelineEntry> entries) {}

  Lane lane();

  /** The kinds of the entries that its rows may have. */
  Set<Kind> kinds();

  /** Reads the next rows before a place, at most {@code limit}; fewer are all that there are. */
  List<Row> before(UUID workspaceId, Place place, int limit);

  /** Returns a place that follows every row that is older than the time. */
  Place placeOf(UUID workspaceId, Instant time);
}

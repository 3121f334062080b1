package dev.muster.console.timeline;

import dev.muster.console.timeline.TimelineCursor.Lane;
import dev.muster.console.timeline.TimelineCursor.Place;
import dev.muster.console.timeline.TimelineEntry.Kind;
import dev.muster.console.timeline.TimelineSource.Row;
import dev.muster.workspace.Workspaces;
import dev.muster.workspace.Workspaces.WorkspaceLabel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Merges the entries of all sources of a workspace, newest first. */
@Service
class Timeline {

  /** The maximum number of reads beyond the first of each source; then the page ends early. */
  private static final int MAX_READS = 12;

  /** The rows of the feed that are read beyond a page, to find the causes of its oldest entries. */
  private static final int CONTEXT = 20;

  /**
   * Events get their numbers after their times, so the order by number may differ from the order by
   * time by this much.
   */
  private static final Duration UNORDERED = Duration.ofSeconds(10);

  private final List<TimelineSource> sources;
  private final Workspaces workspaces;

  Timeline(List<TimelineSource> sources, Workspaces workspaces) {
    this.sources = sources;
    this.workspaces = workspaces;
  }

  /**
   * The parameters of a read.
   *
   * @param from the end of the previous page; empty for the newest rows
   * @param before reads only rows before this time
   * @param after reads only rows at or after this time
   * @param limit the maximum number of rows; one row may have several entries
   */
  record Query(
      Optional<TimelineCursor> from,
      Optional<Instant> before,
      Optional<Instant> after,
      Set<Kind> kinds,
      int limit) {}

  /**
   * A page.
   *
   * @param next the cursor of the next page; null when there are no older entries
   */
  record TimelinePage(List<TimelineEntry> entries, @Nullable String next) {}

  /** Reads one page. Entries of one row, such as a message and its answer, are on the same page. */
  TimelinePage read(UUID workspaceId, Query query) {
    List<Reading> readings =
        sources.stream()
            .filter(source -> source.kinds().stream().anyMatch(query.kinds()::contains))
            .map(source -> new Reading(source, workspaceId, query))
            .toList();
    int reads = readings.size() + MAX_READS;
    List<TimelineEntry> entries = new ArrayList<>();
    int rows = 0;
    while (rows < query.limit()) {
      for (Reading reading : readings) {
        reads -= reading.fill() ? 1 : 0;
      }
      Optional<Reading> next =
          readings.stream()
              .filter(reading -> !reading.rows.isEmpty())
              .max(Comparator.comparing(reading -> reading.rows.getFirst().at()));
      if (next.isEmpty() || reads < 0) {
        break;
      }
      List<TimelineEntry> shown =
          next.get().take().entries().stream()
              .filter(entry -> query.kinds().contains(entry.kind()))
              .toList();
      entries.addAll(shown);
      rows += shown.isEmpty() ? 0 : 1;
    }
    return page(entries, readings);
  }

  private TimelinePage page(List<TimelineEntry> entries, List<Reading> readings) {
    List<TimelineEntry> context = readings.stream().flatMap(Reading::context).toList();
    List<TimelineEntry> known = named(new EntryCauses(context).of(entries));
    boolean isLast = readings.stream().allMatch(Reading::isDone);
    return new TimelinePage(
        known.stream().sorted(Comparator.comparing(TimelineEntry::at).reversed()).toList(),
        isLast ? null : cursor(readings).text());
  }

  private static TimelineCursor cursor(List<Reading> readings) {
    Map<Lane, Place> places = new EnumMap<>(Lane.class);
    readings.forEach(reading -> places.put(reading.source.lane(), reading.place));
    return new TimelineCursor(places);
  }

  private List<TimelineEntry> named(Collection<TimelineEntry> entries) {
    Set<UUID> peers =
        entries.stream()
            .flatMap(entry -> Stream.ofNullable(entry.refs().peerId()))
            .collect(Collectors.toSet());
    Map<UUID, WorkspaceLabel> labels = workspaces.labelsOf(peers);
    return entries.stream()
        .map(entry -> {
          @Nullable UUID peer = entry.refs().peerId();
          @Nullable WorkspaceLabel label = peer == null ? null : labels.get(peer);
          return peer == null
              ? entry
              : entry.withPeer(label == null ? peer.toString() : label.name());
        })
        .toList();
  }

  /** The state of one source during the read of a page. */
  private static final class Reading {

    private final TimelineSource source;
    private final UUID workspaceId;
    private final Query query;
    private final Deque<Row> rows = new ArrayDeque<>();
    private final List<Row> taken = new ArrayList<>();
    private Place place;
    private boolean hasMore = true;

    Reading(TimelineSource source, UUID workspaceId, Query query) {
      this.source = source;
      this.workspaceId = workspaceId;
      this.query = query;
      this.place =
          query
              .from()
              .map(cursor -> cursor.of(source.lane()))
              .orElseGet(() ->
                  query
                      .before()
                      .map(time -> source.placeOf(workspaceId, time))
                      .orElse(Place.NEWEST));
    }

    /** Reads the next rows if none are left; returns whether it read. */
    boolean fill() {
      if (!rows.isEmpty() || !hasMore) {
        return false;
      }
      int limit = query.limit() + CONTEXT;
      List<Row> read = source.before(workspaceId, place, limit);
      hasMore = read.size() == limit;
      read.forEach(this::add);
      return true;
    }

    private void add(Row row) {
      if (query.after().isPresent() && row.at().isBefore(query.after().get().minus(UNORDERED))) {
        hasMore = false;
      } else {
        rows.add(row);
      }
    }

    Row take() {
      Row row = rows.removeFirst();
      place = row.place();
      taken.add(row);
      boolean isOutside =
          query.before().filter(time -> !row.at().isBefore(time)).isPresent()
              || query.after().filter(row.at()::isBefore).isPresent();
      return isOutside ? new Row(row.at(), row.place(), List.of()) : row;
    }

    boolean isDone() {
      return rows.isEmpty() && !hasMore;
    }

    Stream<TimelineEntry> context() {
      return Stream.concat(taken.stream(), rows.stream()).flatMap(row -> row.entries().stream());
    }
  }
}

package dev.muster.runtime;

import dev.muster.platform.http.Page;
import dev.muster.platform.http.PageCursor;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Service;

/** Reads the events of streams, and runs, in pages of bounded size. */
@Service
class StreamReader {

  private static final long MAX_PAGE_BYTES = 8L << 20;

  private record Strand(long runSeq, boolean isError) {}

  private final RunRepository runs;
  private final OutputRepository output;
  private final SegmentRepository segments;

  StreamReader(RunRepository runs, OutputRepository output, SegmentRepository segments) {
    this.runs = runs;
    this.output = output;
    this.segments = segments;
  }

  /**
   * Returns the next events after {@code since}, or the oldest kept ones.
   *
   * <p>A page may have fewer events than {@code limit} even if more follow; it is empty only if
   * none do. Throws {@code CURSOR_GONE} if the stream has no such event or it was deleted.
   */
  List<StoredEvent> events(UUID workspaceId, Optional<UUID> since, int limit) {
    long after = since.map(id -> requireKept(workspaceId, id)).orElse(0L);
    return segments.after(Map.of(workspaceId, after), MAX_PAGE_BYTES, limit).stream()
        .flatMap(segment -> segment.read().stream())
        .filter(event -> event.seq() > after)
        .limit(limit)
        .toList();
  }

  /** Returns a page of runs, newest first. */
  Page<RunView> runs(
      UUID workspaceId, Optional<TaskName> task, Optional<PageCursor> cursor, int limit) {
    long before = cursor.map(place -> placeOf(workspaceId, place)).orElse(Long.MAX_VALUE);
    List<Run> found = runs.page(workspaceId, task, before, limit + 1);
    int fitting = fitting(found, limit);
    Page<Run> page =
        Page.of(
            found,
            fitting,
            last -> new PageCursor(last.startedAt(), RuntimeIds.of(workspaceId, last.firstSeq())));
    Map<Strand, StringBuilder> written = written(workspaceId, page.items());
    return new Page<>(
        page.items().stream()
            .map(run -> RunView.of(run, end(written, run, false), end(written, run, true)))
            .toList(),
        page.next());
  }

  /** Returns how many of the first runs fit one page, at least one. */
  private static int fitting(List<Run> found, int limit) {
    long bytes = 0;
    for (int i = 0; i < Math.min(limit, found.size()); i++) {
      bytes += Math.min(found.get(i).stdoutBytes(), OutputPiece.MAX_KEPT_BYTES);
      bytes += Math.min(found.get(i).stderrBytes(), OutputPiece.MAX_KEPT_BYTES);
      if (i > 0 && bytes > MAX_PAGE_BYTES) {
        return i;
      }
    }
    return limit;
  }

  private Map<Strand, StringBuilder> written(UUID workspaceId, List<Run> runs) {
    Map<Strand, StringBuilder> written = new HashMap<>();
    output
        .endsOf(workspaceId, runs.stream().map(Run::firstSeq).toList())
        .forEach(piece ->
            written
                .computeIfAbsent(
                    new Strand(piece.runSeq(), piece.isError()), first -> new StringBuilder())
                .append(piece.text()));
    return written;
  }

  private static String end(Map<Strand, StringBuilder> written, Run run, boolean isError) {
    StringBuilder text =
        written.getOrDefault(new Strand(run.firstSeq(), isError), new StringBuilder());
    return OutputPiece.end(text.toString(), OutputPiece.MAX_KEPT_BYTES);
  }

  private static long placeOf(UUID workspaceId, PageCursor cursor) {
    return RuntimeIds.seqIn(workspaceId, cursor.id())
        .orElseThrow(() ->
            new ProblemException(
                ErrorCode.CURSOR_GONE,
                "cursor: of another workspace's runs (expected: the cursor of the last page's Link"
                    + " header)"));
  }

  private long requireKept(UUID workspaceId, UUID eventId) {
    long seq = RuntimeIds.seqIn(workspaceId, eventId).orElse(0);
    if (seq == 0 || !segments.holds(workspaceId, seq)) {
      throw gone();
    }
    return seq;
  }

  static ProblemException gone() {
    return new ProblemException(
        ErrorCode.CURSOR_GONE,
        "since_id names no event that this stream still has; omit since_id to begin with the oldest"
            + " that is kept");
  }
}

package dev.muster.runtime;

import dev.muster.platform.log.CachedScrape;
import dev.muster.platform.postgres.AfterCommit;
import dev.muster.platform.postgres.BatchOutcome;
import dev.muster.runtime.RunRepository.TaskOf;
import dev.muster.runtime.StreamHeads.StreamHead;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/**
 * Adds events to streams in the caller's transaction, under the locks of the stream heads.
 *
 * <p>The lock gives number, time and commit of a stream's events the same order. Each event is
 * aggregated into the runs as its predecessors left them.
 */
@Component
class StreamWriter {

  /** The result of a submission. */
  sealed interface SubmissionResult {

    record Accepted(int events) implements SubmissionResult {}

    /** The workspace is removed or does not exist. */
    record NoWorkspace() implements SubmissionResult {}
  }

  /** The events that one request adds to a stream, all or none. */
  record EventSubmission(UUID workspaceId, List<RuntimeEnvelope> envelopes) {

    EventSubmission {
      envelopes = List.copyOf(envelopes);
    }

    long size() {
      return envelopes.stream().mapToLong(RuntimeEnvelope::size).sum();
    }
  }

  /**
   * Counts the events that this replica stored and the runs without an end.
   *
   * <p>A scrape counts the runs in the database at most once per 5 s.
   */
  @Component
  static class RuntimeMetrics {

    private static final Duration FRESH = Duration.ofSeconds(5);

    private final MeterRegistry metrics;
    private final Counter characters;

    RuntimeMetrics(MeterRegistry metrics, RunRepository runs) {
      this.metrics = metrics;
      this.characters =
          Counter.builder("muster.runtime.characters")
              .description("Characters of accepted runtime events")
              .register(metrics);
      CachedScrape<Double> running =
          new CachedScrape<>(FRESH, () -> (double) runs.running(), Double.NaN);
      Gauge.builder("muster.runtime.runs.active", running::get)
          .description("Runs without a reported end")
          .register(metrics);
    }

    void count(EventSubmission submission) {
      characters.increment((double) submission.size());
      for (RuntimeEnvelope envelope : submission.envelopes()) {
        Counter.builder("muster.runtime.events")
            .description("Runtime events accepted")
            .tag("type", envelope.event().type())
            .register(metrics)
            .increment();
      }
    }
  }

  private final StreamHeads heads;
  private final RunRepository runs;
  private final SegmentRepository segments;
  private final OutputRepository output;
  private final RuntimeEventRelay relay;
  private final RuntimeMetrics metrics;

  StreamWriter(
      StreamHeads heads,
      RunRepository runs,
      SegmentRepository segments,
      OutputRepository output,
      RuntimeEventRelay relay,
      RuntimeMetrics metrics) {
    this.heads = heads;
    this.runs = runs;
    this.segments = segments;
    this.output = output;
    this.relay = relay;
    this.metrics = metrics;
  }

  /** Writes submissions to unlocked streams; those to locked streams return {@code Locked}. */
  List<BatchOutcome<SubmissionResult>> writeSkippingLocked(List<EventSubmission> posts) {
    Map<UUID, StreamHead> free = byId(heads.lockSkippingLocked(streamsOf(posts)));
    Set<UUID> present = write(posts, free);
    return posts.stream()
        .<BatchOutcome<SubmissionResult>>map(submission ->
            free.containsKey(submission.workspaceId())
                ? new BatchOutcome.Done<>(result(submission, present))
                : new BatchOutcome.Locked<>())
        .toList();
  }

  /** Writes all submissions; waits for locked streams. */
  List<BatchOutcome<SubmissionResult>> write(List<EventSubmission> posts) {
    Set<UUID> present = write(posts, byId(heads.lock(streamsOf(posts))));
    return posts.stream()
        .<BatchOutcome<SubmissionResult>>map(
            submission -> new BatchOutcome.Done<>(result(submission, present)))
        .toList();
  }

  private static SubmissionResult result(EventSubmission submission, Set<UUID> present) {
    return present.contains(submission.workspaceId())
        ? new SubmissionResult.Accepted(submission.envelopes().size())
        : new SubmissionResult.NoWorkspace();
  }

  private static Set<UUID> streamsOf(List<EventSubmission> posts) {
    return posts.stream().map(EventSubmission::workspaceId).collect(Collectors.toSet());
  }

  private static Map<UUID, StreamHead> byId(Collection<StreamHead> heads) {
    return heads.stream().collect(Collectors.toMap(StreamHead::workspaceId, Function.identity()));
  }

  /** Writes the submissions and returns the locked streams whose workspaces are not removed. */
  private Set<UUID> write(List<EventSubmission> posts, Map<UUID, StreamHead> locked) {
    Set<UUID> present = heads.present(locked.keySet());
    List<EventSubmission> wanted =
        posts.stream().filter(submission -> present.contains(submission.workspaceId())).toList();
    Map<UUID, List<Run>> newest =
        runs.newestOf(tasksOf(wanted)).stream().collect(Collectors.groupingBy(Run::workspaceId));
    Map<UUID, StreamWriteBatch> drafts = new LinkedHashMap<>();
    for (EventSubmission submission : wanted) {
      drafts
          .computeIfAbsent(
              submission.workspaceId(),
              id ->
                  new StreamWriteBatch(
                      Objects.requireNonNull(locked.get(id)), newest.getOrDefault(id, List.of())))
          .add(submission.envelopes());
    }
    if (!drafts.isEmpty()) {
      store(drafts);
      AfterCommit.run(() -> {
        relay.streamsChanged(drafts.keySet());
        wanted.forEach(metrics::count);
      });
    }
    return present;
  }

  private static List<TaskOf> tasksOf(List<EventSubmission> posts) {
    return posts.stream()
        .flatMap(submission ->
            submission.envelopes().stream()
                .map(envelope -> envelope.event().taskName())
                .distinct()
                .map(name -> new TaskOf(submission.workspaceId(), TaskName.named(name).key())))
        .distinct()
        .toList();
  }

  private void store(Map<UUID, StreamWriteBatch> drafts) {
    List<OutputPiece> pieces = all(drafts, StreamWriteBatch::outputPieces);
    List<OutputPiece> evicting = pieces.stream().filter(OutputPiece::evictsOlder).toList();
    heads.move(drafts.values().stream().map(StreamWriteBatch::movedHead).toList());
    runs.store(all(drafts, StreamWriteBatch::changedRuns));
    segments.insert(all(drafts, StreamWriteBatch::segments));
    if (!evicting.isEmpty()) {
      output.deleteEvictedBy(evicting);
    }
    if (!pieces.isEmpty()) {
      output.insert(pieces);
    }
  }

  private static <T> List<T> all(
      Map<UUID, StreamWriteBatch> drafts, Function<StreamWriteBatch, List<T>> partOf) {
    List<T> all = new ArrayList<>();
    drafts.values().forEach(draft -> all.addAll(partOf.apply(draft)));
    return all;
  }
}

package dev.muster.runtime;

import dev.muster.platform.commit.AfterCommit;
import dev.muster.platform.commit.Outcome;
import dev.muster.runtime.RunRepository.TaskOf;
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
 * Adds to streams in the transaction of its caller, in the order given, under the locks of their
 * heads: so number, time and commit of a stream's events have one order, and each is folded into
 * the runs as the ones before it left them.
 */
@Component
class StreamWriter {

  private final HeadRepository heads;
  private final RunRepository runs;
  private final SegmentRepository segments;
  private final OutputRepository output;
  private final RuntimeSignals signals;
  private final RuntimeMetrics metrics;

  StreamWriter(
      HeadRepository heads,
      RunRepository runs,
      SegmentRepository segments,
      OutputRepository output,
      RuntimeSignals signals,
      RuntimeMetrics metrics) {
    this.heads = heads;
    this.runs = runs;
    this.segments = segments;
    this.output = output;
    this.signals = signals;
    this.metrics = metrics;
  }

  /** Posts to streams that somebody else holds are busy. */
  List<Outcome<PostResult>> writeUnlessBusy(List<Post> posts) {
    Map<UUID, Head> free = byId(heads.lockUnlessBusy(streamsOf(posts)));
    Set<UUID> present = write(posts, free);
    return posts.stream()
        .<Outcome<PostResult>>map(post ->
            free.containsKey(post.workspaceId())
                ? new Outcome.Done<>(result(post, present))
                : new Outcome.Busy<>())
        .toList();
  }

  /** Waits for streams that somebody else holds. */
  List<Outcome<PostResult>> write(List<Post> posts) {
    Set<UUID> present = write(posts, byId(heads.lock(streamsOf(posts))));
    return posts.stream()
        .<Outcome<PostResult>>map(post -> new Outcome.Done<>(result(post, present)))
        .toList();
  }

  private static PostResult result(Post post, Set<UUID> present) {
    return present.contains(post.workspaceId())
        ? new PostResult.Accepted(post.envelopes().size())
        : new PostResult.NoWorkspace();
  }

  private static Set<UUID> streamsOf(List<Post> posts) {
    return posts.stream().map(Post::workspaceId).collect(Collectors.toSet());
  }

  private static Map<UUID, Head> byId(Collection<Head> heads) {
    return heads.stream().collect(Collectors.toMap(Head::workspaceId, Function.identity()));
  }

  /** The streams that could be written to. */
  private Set<UUID> write(List<Post> posts, Map<UUID, Head> locked) {
    Set<UUID> present = heads.present(locked.keySet());
    List<Post> wanted =
        posts.stream().filter(post -> present.contains(post.workspaceId())).toList();
    Map<UUID, List<Run>> newest =
        runs.newestOf(tasksOf(wanted)).stream().collect(Collectors.groupingBy(Run::workspaceId));
    Map<UUID, StreamDraft> drafts = new LinkedHashMap<>();
    for (Post post : wanted) {
      drafts
          .computeIfAbsent(
              post.workspaceId(),
              id ->
                  new StreamDraft(
                      Objects.requireNonNull(locked.get(id)), newest.getOrDefault(id, List.of())))
          .add(post.envelopes());
    }
    if (!drafts.isEmpty()) {
      store(drafts);
      AfterCommit.run(() -> {
        signals.grown(drafts.keySet());
        wanted.forEach(metrics::count);
      });
    }
    return present;
  }

  private static List<TaskOf> tasksOf(List<Post> posts) {
    return posts.stream()
        .flatMap(post ->
            post.envelopes().stream()
                .map(envelope -> envelope.event().taskName())
                .distinct()
                .map(name -> new TaskOf(post.workspaceId(), Task.named(name).key())))
        .distinct()
        .toList();
  }

  private void store(Map<UUID, StreamDraft> drafts) {
    List<Piece> pieces = all(drafts, StreamDraft::pieces);
    List<Piece> overtaking = pieces.stream().filter(Piece::overtakesOthers).toList();
    heads.move(drafts.values().stream().map(StreamDraft::movedHead).toList());
    runs.store(all(drafts, StreamDraft::changedRuns));
    segments.insert(all(drafts, StreamDraft::segments));
    if (!overtaking.isEmpty()) {
      output.deleteOvertakenBy(overtaking);
    }
    if (!pieces.isEmpty()) {
      output.insert(pieces);
    }
  }

  private static <T> List<T> all(
      Map<UUID, StreamDraft> drafts, Function<StreamDraft, List<T>> partOf) {
    List<T> all = new ArrayList<>();
    drafts.values().forEach(draft -> all.addAll(partOf.apply(draft)));
    return all;
  }
}

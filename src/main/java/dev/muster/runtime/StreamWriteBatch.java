package dev.muster.runtime;

import dev.muster.platform.text.Text;
import dev.muster.protocol.RuntimeEvent;
import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.RuntimeError;
import dev.muster.protocol.RuntimeEvent.RuntimeStart;
import dev.muster.protocol.RuntimeEvent.RuntimeStderr;
import dev.muster.protocol.RuntimeEvent.RuntimeStdout;
import dev.muster.runtime.StreamHeads.StreamHead;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the events to add to one stream and aggregates them into runs, in order.
 *
 * <p>A start event begins a run and closes the open run of its task. Output belongs to the task's
 * newest run, even when that has ended, because output can arrive late. An end event without an
 * open run, or output of an unknown task, creates a run without a start event.
 */
final class StreamWriteBatch {

  private record Strand(long runSeq, boolean isError) {}

  private final StreamHead head;
  private final Instant at;
  private final Map<UUID, Run> newest = new HashMap<>();
  private final Map<Long, Run> changed = new LinkedHashMap<>();
  private final Map<Strand, StringBuilder> written = new LinkedHashMap<>();
  private final StreamSegment.Builder segments;
  private long seq;

  /** Creates an empty batch; {@code newest} holds the newest runs of the events' tasks. */
  StreamWriteBatch(StreamHead head, List<Run> newest) {
    this.head = head;
    this.at = head.next();
    this.seq = head.lastSeq();
    this.segments = new StreamSegment.Builder(head.workspaceId(), at);
    newest.forEach(run -> this.newest.put(run.task().key(), run));
  }

  void add(List<RuntimeEnvelope> envelopes) {
    for (RuntimeEnvelope envelope : envelopes) {
      seq++;
      Run run = aggregate(envelope.event());
      segments.add(seq, run.firstSeq(), envelope.event().type(), envelope.payload());
    }
  }

  private Run aggregate(RuntimeEvent event) {
    TaskName task = TaskName.named(event.taskName());
    @Nullable Run known = newest.get(task.key());
    Run run =
        switch (event) {
          case RuntimeStart start -> {
            if (known != null && known.isOpen()) {
              change(known.supersededAt(at));
            }
            yield Run.startedBy(start, head.workspaceId(), seq, at);
          }
          case RuntimeStdout(String _, String chunk) ->
              write(known == null ? startedBy(task) : known, false, Text.clean(chunk));
          case RuntimeStderr(String _, String chunk) ->
              write(known == null ? startedBy(task) : known, true, Text.clean(chunk));
          case RuntimeEnd end -> running(known, task).endedBy(end, at);
          case RuntimeError error -> running(known, task).endedBy(error, at);
        };
    change(run);
    return run;
  }

  private Run running(@Nullable Run known, TaskName task) {
    return known != null && known.isOpen() ? known : startedBy(task);
  }

  private Run startedBy(TaskName task) {
    return Run.startedBy(task, head.workspaceId(), seq, at);
  }

  private Run write(Run run, boolean isError, String chunk) {
    long bytes = chunk.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > 0) {
      written
          .computeIfAbsent(new Strand(run.firstSeq(), isError), first -> new StringBuilder())
          .append(chunk);
    }
    return run.wrote(isError ? 0 : bytes, isError ? bytes : 0, at);
  }

  private void change(Run run) {
    newest.put(run.task().key(), run);
    changed.put(run.firstSeq(), run);
  }

  StreamHead movedHead() {
    return head.movedTo(seq);
  }

  List<Run> changedRuns() {
    return List.copyOf(changed.values());
  }

  List<StreamSegment> segments() {
    return segments.segments();
  }

  List<OutputPiece> outputPieces() {
    List<OutputPiece> outputPieces = new ArrayList<>();
    written.forEach((strand, text) -> {
      Run run = Objects.requireNonNull(changed.get(strand.runSeq()));
      String all = text.toString();
      outputPieces.add(
          new OutputPiece(
              run.workspaceId(),
              run.firstSeq(),
              strand.isError(),
              all.getBytes(StandardCharsets.UTF_8).length,
              strand.isError() ? run.stderrBytes() : run.stdoutBytes(),
              OutputPiece.end(all, OutputPiece.MAX_KEPT_BYTES)));
    });
    return outputPieces;
  }
}

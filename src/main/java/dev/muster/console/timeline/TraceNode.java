package dev.muster.console.timeline;

import dev.muster.console.timeline.TimelineEntry.Kind;
import dev.muster.console.timeline.TimelineEntry.Refs;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A delegation of a trace, or a message or a run of one.
 *
 * @param parentId the delegation that it belongs to; null for the first delegation
 * @param from the sender; null for the canvas and the server, and for runs
 * @param to the receiver, or the workspace of the run
 * @param text at most 400 characters of the task, the message or the error
 * @param result at most 400 characters of the result; null before the end
 * @param at the begin; that of a run is as long before its end as it took, if its start arrived
 *     later
 * @param durationMs how long a run took, as {@link RunSource#tookMs} says; null for others
 */
record TraceNode(
    Kind kind,
    String id,
    @Nullable String parentId,
    @Nullable UUID from,
    @Nullable String fromName,
    UUID to,
    @Nullable String toName,
    String title,
    String status,
    @Nullable String text,
    @Nullable String result,
    Instant at,
    @Nullable Instant endedAt,
    @Nullable Long durationMs,
    @Nullable Instant deadline,
    @Nullable Integer attempt,
    Refs refs) {

  /** Returns a copy without texts, for an agent that is neither caller nor callee. */
  TraceNode withoutTexts() {
    return new TraceNode(
        kind,
        id,
        parentId,
        from,
        fromName,
        to,
        toName,
        kind.wire(),
        status,
        null,
        null,
        at,
        endedAt,
        durationMs,
        deadline,
        attempt,
        refs);
  }

  boolean isOf(UUID workspaceId) {
    return workspaceId.equals(from) || workspaceId.equals(to);
  }

  TraceNode named(@Nullable String nameOfFrom, @Nullable String nameOfTo) {
    return new TraceNode(
        kind,
        id,
        parentId,
        from,
        nameOfFrom,
        to,
        nameOfTo,
        title,
        status,
        text,
        result,
        at,
        endedAt,
        durationMs,
        deadline,
        attempt,
        refs);
  }
}

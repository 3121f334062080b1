package dev.muster.console.bulk;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change of many workspaces, and its progress.
 *
 * @param filter the filter that found its targets; null when their ids were given
 * @param cancellable false when it has ended, or changes no more workspaces and only ends what
 *     removed ones left open
 * @param total the number of targets; {@code done}, {@code skipped} and {@code failed} count those
 *     that were handled
 * @param undoOf the run that this one undoes; {@code undoneBy} is the run that undoes this one
 */
record BulkRun(
    UUID bulkId,
    BulkAction action,
    @Nullable String filter,
    boolean cascade,
    @Nullable String text,
    @Nullable String note,
    State state,
    boolean cancellable,
    int total,
    int done,
    int skipped,
    int failed,
    String who,
    @Nullable UUID undoOf,
    @Nullable UUID undoneBy,
    Instant createdAt,
    @Nullable Instant endedAt) {

  /** The state of a run. */
  enum State {
    RUNNING,
    DONE,
    CANCELLED;

    @JsonValue
    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** How the change of a target ended. */
  enum Outcome {
    DONE,
    SKIPPED,
    FAILED;

    @JsonValue
    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Outcome of(String wire) {
      return valueOf(wire.toUpperCase(Locale.ROOT));
    }
  }

  /**
   * The outcome of one target.
   *
   * @param code why it was not changed: the code and the detail that a request for this workspace
   *     alone would get
   * @param changedAt when it got the status that the run gave it
   */
  record Item(
      int position,
      UUID workspaceId,
      Outcome outcome,
      @Nullable String code,
      @Nullable String detail,
      @Nullable Instant changedAt) {}

  /** Returns a short summary of the run and its outcomes, for the audit. */
  String summary() {
    String how =
        switch (state) {
          case RUNNING -> "";
          case DONE -> ": ";
          case CANCELLED -> ", cancelled: ";
        };
    return action.wire()
        + " of "
        + total
        + " workspaces"
        + (filter == null ? "" : " by “" + filter + "”")
        + (undoOf == null ? "" : ", undoing " + undoOf)
        + (how.isEmpty()
            ? ""
            : how + done + " done, " + skipped + " skipped, " + failed + " failed");
  }
}

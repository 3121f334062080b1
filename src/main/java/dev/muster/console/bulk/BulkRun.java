package dev.muster.console.bulk;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change of many workspaces, and how far it is.
 *
 * @param filter what its targets were found by; null when they were named
 * @param total its targets; {@code done}, {@code skipped} and {@code failed} are those that it has
 *     come to
 * @param undoOf the run that it takes back, and {@code undoneBy} the one that takes it back
 */
record BulkRun(
    UUID bulkId,
    BulkAction action,
    @Nullable String filter,
    boolean cascade,
    @Nullable String text,
    @Nullable String note,
    State state,
    int total,
    int done,
    int skipped,
    int failed,
    String who,
    @Nullable UUID undoOf,
    @Nullable UUID undoneBy,
    Instant createdAt,
    @Nullable Instant endedAt) {

  /** Whether a run goes on. */
  enum State {
    RUNNING,
    DONE,
    CANCELLED;

    @JsonValue
    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What became of a target. */
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
   * @param code why it was not changed: the code and the sentence that a request for it alone gets
   * @param changedAt since when it has the status that the run gave it
   */
  record Item(
      int position,
      UUID workspaceId,
      Outcome outcome,
      @Nullable String code,
      @Nullable String detail,
      @Nullable Instant changedAt) {}

  /** Says in a few words what this run is for and how it went, for the audit. */
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

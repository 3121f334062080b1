package dev.muster.console.timeline;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.muster.platform.text.Text;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One thing that happened to a workspace, or that it did.
 *
 * @param id unique among the entries of its kind
 * @param title made by the server; contains names of workspaces, which agents choose
 * @param status how it stands, in the words of its kind; null where there is none
 * @param text at most 400 characters of what was said or failed
 * @param durationMs until its end; null while it lasts
 */
record TimelineEntry(
    Instant at,
    Kind kind,
    String id,
    String title,
    @Nullable String status,
    @Nullable String text,
    @Nullable Long durationMs,
    Refs refs,
    @Nullable Cause cause) {

  static final int MAX_TEXT = 400;

  /** Stands in a title for the name of the peer until it is known. */
  static final String PEER = "{peer}";

  private static final int MAX_TITLE = 200;

  /** What an entry tells of. */
  enum Kind {
    STATUS,
    MESSAGE,
    ANSWER,
    NOTIFICATION,
    ACTIVITY,
    QUEUE,
    DELEGATION,
    RUN;

    @JsonValue
    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * The ids of what an entry is about; null for those that it has not.
   *
   * @param seq of a recorded event, or of an activity in its feed
   */
  record Refs(
      @Nullable String messageId,
      @Nullable String delegationId,
      @Nullable UUID runId,
      @Nullable UUID activityId,
      @Nullable UUID queueId,
      @Nullable UUID peerId,
      @Nullable Long seq) {}

  /**
   * What an entry came from.
   *
   * @param sure true where ids say so; false where only the time suggests it
   */
  record Cause(Kind kind, String id, boolean sure) {}

  TimelineEntry {
    title = Text.cut(Text.clean(title), MAX_TITLE);
    text = text == null || text.isEmpty() ? null : Text.cut(Text.clean(text), MAX_TEXT);
  }

  TimelineEntry withPeer(String name) {
    return new TimelineEntry(
        at, kind, id, title.replace(PEER, name), status, text, durationMs, refs, cause);
  }

  TimelineEntry causedBy(Cause known) {
    return new TimelineEntry(at, kind, id, title, status, text, durationMs, refs, known);
  }
}

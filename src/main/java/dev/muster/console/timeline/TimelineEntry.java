package dev.muster.console.timeline;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.muster.platform.text.Text;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a timeline: something that happened to the workspace, or that it did.
 *
 * @param id unique among the entries of its kind
 * @param title composed by the server; may contain names of workspaces, which agents choose
 * @param status its status in the words of its kind; null when it has none
 * @param text at most 400 characters of the message or error
 * @param durationMs until its end; null before it
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
    @Nullable EntryCause cause) {

  static final int MAX_TEXT = 400;

  /** The placeholder in a title for the name of the peer, until it is known. */
  static final String PEER = "{peer}";

  private static final int MAX_TITLE = 200;

  /** The kind of an entry. */
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
   * The ids of the objects that an entry concerns; null for those that it does not have.
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
   * The cause of an entry.
   *
   * @param sure true when ids prove the cause; false when only the time suggests it
   */
  record EntryCause(Kind kind, String id, boolean sure) {}

  TimelineEntry {
    title = Text.cut(Text.clean(title), MAX_TITLE);
    text = text == null || text.isEmpty() ? null : Text.cut(Text.clean(text), MAX_TEXT);
  }

  TimelineEntry withPeer(String name) {
    return new TimelineEntry(
        at, kind, id, title.replace(PEER, name), status, text, durationMs, refs, cause);
  }

  TimelineEntry causedBy(EntryCause known) {
    return new TimelineEntry(at, kind, id, title, status, text, durationMs, refs, known);
  }
}

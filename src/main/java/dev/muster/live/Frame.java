package dev.muster.live;

import dev.muster.event.LiveEvents;
import dev.muster.event.LiveValue;
import dev.muster.event.RecordedEvent;
import dev.muster.platform.json.RawJson;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a stream tells, before it has the form of its carrier; {@code seq} is there for
 * recorded events only.
 */
record Frame(
    String event,
    @Nullable UUID workspaceId,
    Instant timestamp,
    Object payload,
    @Nullable Long seq) {

  static Frame of(RecordedEvent event) {
    return new Frame(
        event.eventType(), event.workspaceId(), event.createdAt(), event.payload(), event.seq());
  }

  static Frame of(LiveEvents.Told event) {
    return new Frame(
        event.kind().name(), event.workspaceId(), event.timestamp(), event.payload(), null);
  }

  static Frame of(LiveValue value) {
    return new Frame(
        value.kind().name(), value.workspaceId(), value.timestamp(), value.payload(), null);
  }

  /** About how many characters it takes on the wire. */
  int size() {
    return 128 + (payload instanceof RawJson json ? json.text().length() : 0);
  }

  /**
   * Tells that the events the client asked for cannot be had: {@code reason} is {@code expired}
   * (kept no longer) or {@code future} (never was such a number, as after a restored backup).
   */
  static Frame replayGap(String reason, long requestedAfter, long continuesAfter) {
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put("reason", reason);
    payload.put("requested_after", requestedAfter);
    payload.put("continues_after", continuesAfter);
    return new Frame("REPLAY_GAP", null, Instant.now(), payload, null);
  }
}

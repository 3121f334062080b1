package dev.muster.live;

import dev.muster.event.LastValue;
import dev.muster.event.LiveEvents;
import dev.muster.event.RecordedEvent;
import dev.muster.platform.text.RawJson;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Holds one event or value of a stream, before its encoding.
 *
 * @param workspaceId null when the event belongs to no workspace
 * @param seq null except for recorded events
 * @param isForPeers whether the payload is reduced to what {@link PeerView} shows
 */
record Frame(
    String event,
    @Nullable UUID workspaceId,
    Instant timestamp,
    Object payload,
    @Nullable Long seq,
    boolean isForPeers) {

  /** No event has this name; it is never sent. */
  private static final String TICK = "";

  static Frame of(RecordedEvent event) {
    return new Frame(
        event.eventType(),
        event.workspaceId(),
        event.createdAt(),
        event.payload(),
        event.seq(),
        false);
  }

  static Frame of(LiveEvents.Entry event) {
    return new Frame(
        event.kind().name(), event.workspaceId(), event.timestamp(), event.payload(), null, false);
  }

  static Frame of(LastValue value) {
    return new Frame(
        value.kind().name(), value.workspaceId(), value.timestamp(), value.payload(), null, false);
  }

  /**
   * Returns the frame of a quiet stream: it has sent all events up to {@code seq} (R17.1). It is
   * sent to consoles, as a batch without events.
   */
  static Frame tick(long seq, Instant at) {
    return new Frame(TICK, null, at, Map.of(), seq, false);
  }

  boolean isTick() {
    return event.equals(TICK);
  }

  Frame forPeers() {
    return new Frame(event, workspaceId, timestamp, payload, seq, true);
  }

  /** Returns the payload to send, reduced when the frame is for peers. */
  Object content() {
    if (!isForPeers) {
      return payload;
    }
    return switch (payload) {
      case RawJson json -> PeerView.reduced(json);
      case Map<?, ?> members -> PeerView.reduced(members);
      default -> throw new IllegalStateException("a payload of an unknown form: " + payload);
    };
  }

  /** Returns the approximate maximum size on the wire, in characters. */
  int size() {
    return 128 + (payload instanceof RawJson json ? json.text().length() : 0);
  }

  /**
   * Returns a {@code REPLAY_GAP} frame: the requested events are not available.
   *
   * @param reason {@code expired} (deleted by retention) or {@code future} (no event has that seq
   *     yet, as after a restored backup)
   * @param requestedAfter the seq the client asked to continue after
   * @param continuesAfter the seq the stream continues after
   */
  static Frame replayGap(String reason, long requestedAfter, long continuesAfter, Instant at) {
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put("reason", reason);
    payload.put("requested_after", requestedAfter);
    payload.put("continues_after", continuesAfter);
    return new Frame("REPLAY_GAP", null, at, payload, null, false);
  }
}

package dev.muster.live;

import dev.muster.event.LastValue;
import dev.muster.event.LiveEvents;
import dev.muster.event.RecordedEvent;
import dev.muster.platform.json.RawJson;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a stream tells, before it has the form of its carrier.
 *
 * @param seq is there for recorded events only
 * @param isForPeers whether of the payload only what {@link PeerView} shows is told
 */
record Frame(
    String event,
    @Nullable UUID workspaceId,
    Instant timestamp,
    Object payload,
    @Nullable Long seq,
    boolean isForPeers) {

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

  Frame forPeers() {
    return new Frame(event, workspaceId, timestamp, payload, seq, true);
  }

  /** The payload as it is told. */
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

  /** At most about so many characters it takes on the wire. */
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
    return new Frame("REPLAY_GAP", null, Instant.now(), payload, null, false);
  }
}

package dev.muster.runtime;

import dev.muster.platform.json.RawJson;
import java.time.Instant;
import java.util.UUID;

/** An event as it is replayed: the envelope that was sent, and what is known of it since. */
record EventView(UUID id, Instant createdAt, UUID runId, String type, RawJson payload) {

  static EventView of(StoredEvent event) {
    return new EventView(
        event.id(), event.createdAt(), event.runId(), event.type(), event.payload());
  }
}

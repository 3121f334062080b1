package dev.muster.runtime;

import dev.muster.platform.json.RawJson;
import java.time.Instant;
import java.util.UUID;

/** An event as it is replayed: the envelope that was sent, and what is known of it since. */
record RuntimeEventView(UUID id, Instant createdAt, UUID runId, String type, RawJson payload) {

  static RuntimeEventView of(StoredEvent event) {
    return new RuntimeEventView(
        event.id(), event.createdAt(), event.runId(), event.type(), event.payload());
  }
}

package dev.muster.runtime;

import dev.muster.platform.json.RawJson;
import java.time.Instant;
import java.util.UUID;

/** A replayed event: the submitted envelope with its id, time and run id. */
record RuntimeEventView(UUID id, Instant createdAt, UUID runId, String type, RawJson payload) {

  static RuntimeEventView of(StoredEvent event) {
    return new RuntimeEventView(
        event.id(), event.createdAt(), event.runId(), event.type(), event.payload());
  }
}

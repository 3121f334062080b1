package dev.muster.runtime;

import dev.muster.platform.text.RawJson;
import java.time.Instant;
import java.util.UUID;

/** An event of a stream; {@code runSeq} is the number of its run's first event. */
record StoredEvent(
    UUID workspaceId, long seq, long runSeq, String type, RawJson payload, Instant createdAt) {

  UUID id() {
    return RuntimeIds.of(workspaceId, seq);
  }

  UUID runId() {
    return RuntimeIds.of(workspaceId, runSeq);
  }
}

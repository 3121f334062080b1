package dev.muster.runtime;

import java.util.List;
import java.util.UUID;

/** The events that one request adds to a stream, all or none. */
record EventSubmission(UUID workspaceId, List<RuntimeEnvelope> envelopes) {

  EventSubmission {
    envelopes = List.copyOf(envelopes);
  }

  long size() {
    return envelopes.stream().mapToLong(RuntimeEnvelope::size).sum();
  }
}

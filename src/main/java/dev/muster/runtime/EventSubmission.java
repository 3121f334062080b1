package dev.muster.runtime;

import java.util.List;
import java.util.UUID;

/** What one request adds to a stream: all of it or nothing. */
record EventSubmission(UUID workspaceId, List<RuntimeEnvelope> envelopes) {

  EventSubmission {
    envelopes = List.copyOf(envelopes);
  }

  long size() {
    return envelopes.stream().mapToLong(RuntimeEnvelope::size).sum();
  }
}

package dev.muster.runtime;

import java.util.List;
import java.util.UUID;

/** What one request adds to a stream: all of it or nothing. */
record Post(UUID workspaceId, List<Envelope> envelopes) {

  Post {
    envelopes = List.copyOf(envelopes);
  }

  long size() {
    return envelopes.stream().mapToLong(Envelope::size).sum();
  }
}

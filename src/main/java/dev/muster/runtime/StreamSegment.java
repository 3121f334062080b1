package dev.muster.runtime;

import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.text.RawJson;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import tools.jackson.databind.JsonNode;

/** The events of one stored row, in order, up to {@code lastSeq}. */
record StreamSegment(UUID workspaceId, long lastSeq, int events, Instant createdAt, String body) {

  /** Maximum body size before a new segment begins; a single event may be larger. */
  static final int MAX_BYTES = 64 << 10;

  long firstSeq() {
    return lastSeq - events + 1;
  }

  List<StoredEvent> read() {
    List<StoredEvent> read = new ArrayList<>(events);
    long seq = firstSeq();
    for (JsonNode one : LosslessJson.parse(body.getBytes(StandardCharsets.UTF_8))) {
      read.add(
          new StoredEvent(
              workspaceId,
              seq++,
              one.path(0).longValue(),
              one.path(1).stringValue(),
              LosslessJson.write(one.path(2)),
              createdAt));
    }
    return read;
  }

  /** Splits events into segments. */
  static final class Builder {

    private final UUID workspaceId;
    private final Instant createdAt;
    private final List<StreamSegment> full = new ArrayList<>();
    private final StringBuilder body = new StringBuilder();
    private int events;
    private long lastSeq;

    Builder(UUID workspaceId, Instant createdAt) {
      this.workspaceId = workspaceId;
      this.createdAt = createdAt;
    }

    void add(long seq, long runSeq, String type, RawJson payload) {
      if (events > 0 && body.length() + payload.text().length() > MAX_BYTES) {
        endSegment();
      }
      body.append(events == 0 ? '[' : ',');
      body.append('[').append(runSeq).append(",\"").append(type).append("\",");
      body.append(payload.text()).append(']');
      events++;
      lastSeq = seq;
    }

    List<StreamSegment> segments() {
      if (events > 0) {
        endSegment();
      }
      return full;
    }

    private void endSegment() {
      String json = body.append(']').toString();
      full.add(new StreamSegment(workspaceId, lastSeq, events, createdAt, json));
      body.setLength(0);
      events = 0;
    }
  }
}

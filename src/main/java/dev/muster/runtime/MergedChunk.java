package dev.muster.runtime;

import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvent.Kind;
import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.text.RawJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A stored event, or several merged chunks of one output stream of a run.
 *
 * <p>Receivers concatenate chunks, so merging does not change their result.
 *
 * @param last the last of the merged events; a reader can continue after its id
 * @param events number of merged events, at least 1
 */
record MergedChunk(StoredEvent last, RawJson payload, int events) {

  /** Up to this number of events, none are merged. */
  static final int MERGE_THRESHOLD = 200;

  private static final int MAX_BYTES = 64 << 10;
  private static final JsonMapper JSON = JsonMapper.shared();

  /** Merges consecutive chunks above {@code MERGE_THRESHOLD} events; keeps the order. */
  static List<MergedChunk> of(List<StoredEvent> events) {
    if (events.size() <= MERGE_THRESHOLD) {
      return events.stream().map(event -> new MergedChunk(event, event.payload(), 1)).toList();
    }
    List<MergedChunk> chunks = new ArrayList<>();
    List<StoredEvent> together = new ArrayList<>();
    int bytes = 0;
    for (StoredEvent event : events) {
      int size = event.payload().text().length();
      if (!together.isEmpty()
          && (!continues(together.getLast(), event) || bytes + size > MAX_BYTES)) {
        chunks.add(merged(together));
        together.clear();
        bytes = 0;
      }
      together.add(event);
      bytes += size;
    }
    chunks.add(merged(together));
    return chunks;
  }

  private static boolean continues(StoredEvent before, StoredEvent event) {
    boolean isChunk = event.type().equals("RuntimeStdout") || event.type().equals("RuntimeStderr");
    return isChunk
        && event.type().equals(before.type())
        && event.workspaceId().equals(before.workspaceId())
        && event.runSeq() == before.runSeq();
  }

  private static MergedChunk merged(List<StoredEvent> together) {
    StoredEvent last = together.getLast();
    if (together.size() == 1) {
      return new MergedChunk(last, last.payload(), 1);
    }
    StringBuilder text = new StringBuilder();
    together.forEach(event -> text.append(parsed(event).path("chunk").stringValue()));
    ObjectNode payload = JSON.createObjectNode();
    payload.set("task_name", parsed(last).path("task_name"));
    payload.put("chunk", text.toString());
    return new MergedChunk(last, LosslessJson.write(payload), together.size());
  }

  private static JsonNode parsed(StoredEvent event) {
    return LosslessJson.parse(event.payload().text().getBytes(StandardCharsets.UTF_8));
  }

  LiveEvent event() {
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("type", last.type());
    content.put("payload", payload);
    content.put("run_id", last.runId());
    content.put("id", last.id());
    content.put("events", events);
    return new LiveEvent(Kind.RUNTIME_EVENT, last.workspaceId(), last.createdAt(), content);
  }
}

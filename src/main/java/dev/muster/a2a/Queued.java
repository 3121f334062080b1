package dev.muster.a2a;

import dev.muster.platform.json.LosslessJson;
import dev.muster.platform.json.RawJson;
import java.util.UUID;
import tools.jackson.databind.node.JsonNodeFactory;

/** A request is in the feed of an agent that polls, as the row {@code activityId} (R7.5). */
record Queued(String method, UUID activityId) {

  /** Of whatever characters the method is. */
  RawJson answer() {
    return LosslessJson.write(
        JsonNodeFactory.instance
            .objectNode()
            .put("status", "queued")
            .put("delivery_mode", "poll")
            .put("method", method)
            .put("activity_id", activityId.toString()));
  }
}

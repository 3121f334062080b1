package dev.muster.heartbeat;

import dev.muster.platform.json.Field;
import dev.muster.platform.json.JsonBody;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.text.Redaction;
import dev.muster.platform.text.Text;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Reads a beat from its JSON. */
final class BeatReader {

  private static final int LONGEST_SAMPLE_ERROR = 4096;
  private static final int LONGEST_TASK = 1000;
  private static final int LONGEST_RUNTIME_STATE = 64;
  private static final int MOST_DELEGATIONS = 1000;

  /** One character more than any of them has: what is longer, and cut, is not to name another. */
  private static final int MORE_THAN_A_DELEGATION_ID = 129;

  private BeatReader() {}

  static Beat read(JsonBody body) {
    UUID workspaceId = body.requiredId("workspace_id");
    Optional<JsonBody> metadata = body.object("runtime_metadata");
    Field<RawJson> capabilities = capabilities(metadata);
    return new Beat(
        workspaceId,
        body.number("error_rate", 0, 1).orElse(null),
        sampleError(body),
        body.integer("active_tasks", 0, Integer.MAX_VALUE).orElse(null),
        body.text("current_task", LONGEST_TASK).orElse(null),
        body.longInteger("uptime_seconds", 0, Long.MAX_VALUE).orElse(null),
        body.text("runtime_state", LONGEST_RUNTIME_STATE).orElse(""),
        capabilities,
        capabilities.value().isPresent() && managesItsStatus(metadata),
        metadata
            .map(m ->
                m.field(
                    "idle_timeout_seconds",
                    () -> m.integer("idle_timeout_seconds", 0, Integer.MAX_VALUE)))
            .orElseGet(Field.Absent::new),
        body.rawObject("agent_card").orElse(null),
        body.texts("delegations", MOST_DELEGATIONS, MORE_THAN_A_DELEGATION_ID).orElse(List.of()));
  }

  /** Secrets go before the text is cut, so that no half of one is left (R6.9). */
  private static String sampleError(JsonBody body) {
    return body.text("sample_error", Integer.MAX_VALUE)
        .map(Redaction::redact)
        .map(text -> Text.cut(text, LONGEST_SAMPLE_ERROR))
        .orElse("");
  }

  private static Field<RawJson> capabilities(Optional<JsonBody> metadata) {
    if (metadata.isEmpty()) {
      return new Field.Absent<>();
    }
    JsonBody m = metadata.get();
    m.object("capabilities").ifPresent(map -> map.names().forEach(map::flag));
    return m.field("capabilities", () -> m.rawObject("capabilities"));
  }

  private static boolean managesItsStatus(Optional<JsonBody> metadata) {
    return metadata
        .flatMap(m -> m.object("capabilities"))
        .flatMap(map -> map.flag("status_mgmt"))
        .orElse(false);
  }
}

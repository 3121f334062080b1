package dev.muster.heartbeat;

import dev.muster.platform.text.JsonBody;
import dev.muster.platform.text.OptionalField;
import dev.muster.platform.text.RawJson;
import dev.muster.platform.text.Redaction;
import dev.muster.platform.text.Text;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Parses a heartbeat from its JSON. */
final class HeartbeatParser {

  private static final int MAX_SAMPLE_ERROR_LENGTH = 4096;
  private static final int MAX_TASK_LENGTH = 1000;
  private static final int MAX_RUNTIME_STATE_LENGTH = 64;
  private static final int MAX_DELEGATIONS = 1000;

  /** One above the maximum id length: a truncated longer text then equals no valid id. */
  private static final int MORE_THAN_A_DELEGATION_ID = 129;

  private HeartbeatParser() {}

  static Heartbeat read(JsonBody body) {
    UUID workspaceId = body.requiredId("workspace_id");
    Optional<JsonBody> metadata = body.object("runtime_metadata");
    OptionalField<RawJson> capabilities = capabilities(metadata);
    return new Heartbeat(
        workspaceId,
        body.number("error_rate", 0, 1).orElse(null),
        sampleError(body),
        body.integer("active_tasks", 0, Integer.MAX_VALUE).orElse(null),
        body.text("current_task", MAX_TASK_LENGTH).orElse(null),
        body.longInteger("uptime_seconds", 0, Long.MAX_VALUE)
            .filter(HeartbeatParser::saysTheUptime)
            .orElse(null),
        body.text("runtime_state", MAX_RUNTIME_STATE_LENGTH).orElse(""),
        capabilities,
        capabilities.value().isPresent() && managesItsStatus(metadata),
        metadata
            .map(m ->
                m.field(
                    "idle_timeout_seconds",
                    () -> m.integer("idle_timeout_seconds", 0, Integer.MAX_VALUE)))
            .orElseGet(OptionalField.Absent::new),
        body.rawObject("agent_card").orElse(null),
        body.texts("delegations", MAX_DELEGATIONS, MORE_THAN_A_DELEGATION_ID).orElse(List.of()));
  }

  /** Some agents send 0 at the start and the end of each task, whatever their uptime. */
  private static boolean saysTheUptime(long seconds) {
    return seconds > 0;
  }

  /** Redacts before truncating, so that no part of a secret remains (R6.9). */
  private static String sampleError(JsonBody body) {
    return body.text("sample_error", Integer.MAX_VALUE)
        .map(Redaction::redact)
        .map(text -> Text.cut(text, MAX_SAMPLE_ERROR_LENGTH))
        .orElse("");
  }

  private static OptionalField<RawJson> capabilities(Optional<JsonBody> metadata) {
    if (metadata.isEmpty()) {
      return new OptionalField.Absent<>();
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

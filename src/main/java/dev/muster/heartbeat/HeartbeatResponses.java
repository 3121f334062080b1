package dev.muster.heartbeat;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.muster.heartbeat.Heartbeats.HeartbeatResult.Recorded;
import dev.muster.workspace.HeartbeatCadence;
import dev.muster.workspace.WorkspaceStatus;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes the heartbeat responses (R4.1), serialized once per status unless a restart is requested.
 */
@Component
final class HeartbeatResponses {

  private record Answer(
      String status,
      WorkspaceStatus workspaceStatus,
      int heartbeatIntervalS,
      int staleAfterS,
      int longPollMaxS,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Instant restartRequestedAt) {}

  private final Map<WorkspaceStatus, byte[]> bodies = new EnumMap<>(WorkspaceStatus.class);

  private final HeartbeatCadence cadence;
  private final JsonMapper json;

  HeartbeatResponses(HeartbeatCadence cadence, JsonMapper json) {
    this.cadence = cadence;
    this.json = json;
    for (WorkspaceStatus status : WorkspaceStatus.values()) {
      bodies.put(status, body(status, null));
    }
  }

  private byte[] body(WorkspaceStatus status, @Nullable Instant restartRequestedAt) {
    return json.writeValueAsBytes(
        new Answer(
            "ok",
            status,
            cadence.heartbeatIntervalS(),
            cadence.staleAfterS(),
            cadence.longPollMaxS(),
            restartRequestedAt));
  }

  void write(Recorded recorded, HttpServletResponse response) throws IOException {
    byte[] body =
        recorded.restartRequestedAt() == null
            ? Objects.requireNonNull(bodies.get(recorded.status()))
            : body(recorded.status(), recorded.restartRequestedAt());
    response.setContentType("application/json");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}

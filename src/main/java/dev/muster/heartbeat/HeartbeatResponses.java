package dev.muster.heartbeat;

import dev.muster.workspace.HeartbeatCadence;
import dev.muster.workspace.WorkspaceStatus;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Writes the heartbeat responses (R4.1), serialized once per status. */
@Component
final class HeartbeatResponses {

  private record Answer(
      String status,
      WorkspaceStatus workspaceStatus,
      int heartbeatIntervalS,
      int staleAfterS,
      int longPollMaxS) {}

  private final Map<WorkspaceStatus, byte[]> bodies = new EnumMap<>(WorkspaceStatus.class);

  HeartbeatResponses(HeartbeatCadence cadence, JsonMapper json) {
    for (WorkspaceStatus status : WorkspaceStatus.values()) {
      Answer answer =
          new Answer(
              "ok",
              status,
              cadence.heartbeatIntervalS(),
              cadence.staleAfterS(),
              cadence.longPollMaxS());
      bodies.put(status, json.writeValueAsBytes(answer));
    }
  }

  void write(WorkspaceStatus status, HttpServletResponse response) throws IOException {
    byte[] body = Objects.requireNonNull(bodies.get(status));
    response.setContentType("application/json");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}

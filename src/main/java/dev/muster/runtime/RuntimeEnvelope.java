package dev.muster.runtime;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.text.RawJson;
import dev.muster.platform.text.Text;
import dev.muster.protocol.RuntimeEvent;
import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.UndecodableEventException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A submitted event; {@code payload} keeps all fields that the sender wrote, unknown ones included.
 * Its whole numbers are written without a fraction, because other readers may not accept one.
 */
record RuntimeEnvelope(RuntimeEvent event, RawJson payload) {

  /** Reads one envelope or an array; rejects all with the index of the first invalid one. */
  static List<RuntimeEnvelope> readAll(JsonNode body) {
    if (body.isObject()) {
      return List.of(read(body, 0));
    }
    if (!body.isArray()) {
      throw ProblemException.validation(
          "the body is neither an object nor an array (expected: the envelope of a runtime event,"
              + " or an array of them)");
    }
    List<RuntimeEnvelope> envelopes = new ArrayList<>(body.size());
    for (JsonNode one : body) {
      envelopes.add(read(one, envelopes.size()));
    }
    return envelopes;
  }

  private static RuntimeEnvelope read(JsonNode json, int index) {
    try {
      RuntimeEvent event = RuntimeEvent.decode(json);
      if (event instanceof RuntimeEnd end && json.path("payload") instanceof ObjectNode payload) {
        payload.put("exit_code", end.exitCode()).put("duration_ms", end.durationMs());
      }
      return new RuntimeEnvelope(event, LosslessJson.write(json.path("payload")));
    } catch (UndecodableEventException e) {
      throw new ProblemException(
          ErrorCode.VALIDATION_FAILED,
          "event " + index + ": " + Text.clean(String.valueOf(e.getMessage())),
          Map.of("index", index));
    }
  }

  int size() {
    return payload.text().length();
  }
}

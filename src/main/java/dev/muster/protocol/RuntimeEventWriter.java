package dev.muster.protocol;

import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.RuntimeError;
import dev.muster.protocol.RuntimeEvent.RuntimeStart;
import dev.muster.protocol.RuntimeEvent.RuntimeStderr;
import dev.muster.protocol.RuntimeEvent.RuntimeStdout;
import java.util.HexFormat;
import java.util.regex.Pattern;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Writes events as JSON envelopes. */
final class RuntimeEventWriter {

  private static final JsonMapper JSON = JsonMapper.shared();

  /** A lone surrogate, which UTF-8 cannot encode; a JSON escape preserves it. */
  private static final Pattern LONE_SURROGATE = Pattern.compile("\\p{Cs}");

  private RuntimeEventWriter() {}

  static String write(RuntimeEvent event) {
    ObjectNode envelope = JSON.createObjectNode().put("type", event.type());
    ObjectNode payload = envelope.putObject("payload").put("task_name", event.taskName());
    switch (event) {
      case RuntimeStart(String ignored, String runtimeName, String language) ->
          payload.put("runtime_name", runtimeName).put("language", language);
      case RuntimeStdout(String ignored, String chunk) -> payload.put("chunk", chunk);
      case RuntimeStderr(String ignored, String chunk) -> payload.put("chunk", chunk);
      case RuntimeEnd end ->
          payload.put("exit_code", end.exitCode()).put("duration_ms", end.durationMs());
      case RuntimeError(String ignored, String kind, String message) ->
          payload.put("kind", kind).put("message", message);
    }
    return LONE_SURROGATE
        .matcher(JSON.writeValueAsString(envelope))
        .replaceAll(half -> "\\\\u" + HexFormat.of().toHexDigits(half.group().charAt(0)));
  }
}

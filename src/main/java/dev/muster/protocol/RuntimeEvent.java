package dev.muster.protocol;

import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.RuntimeError;
import dev.muster.protocol.RuntimeEvent.RuntimeStart;
import dev.muster.protocol.RuntimeEvent.RuntimeStderr;
import dev.muster.protocol.RuntimeEvent.RuntimeStdout;
import java.math.BigInteger;
import java.util.HexFormat;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * An event of a sandbox run (docs/api.md, section 9).
 *
 * <p>A run has a start, chunks of output, and one end or one error.
 *
 * <p>On the wire an event is {@code {"type":…,"payload":{…}}}, compact, with fields in declaration
 * order. A decoded event equals the encoded one.
 */
public sealed interface RuntimeEvent {

  /** Returns the task of the run; all events of a run have the same. */
  String taskName();

  /** The start of a run; {@code language} is free text, such as {@code python}. */
  record RuntimeStart(String taskName, String runtimeName, String language)
      implements RuntimeEvent {}

  /** A chunk that the run wrote to stdout. */
  record RuntimeStdout(String taskName, String chunk) implements RuntimeEvent {}

  /** A chunk that the run wrote to stderr. */
  record RuntimeStderr(String taskName, String chunk) implements RuntimeEvent {}

  /**
   * The end of a run that finished, with or without success.
   *
   * @param exitCode 0 on success; may be negative
   * @param durationMs 0 to 2<sup>64</sup> − 1
   */
  record RuntimeEnd(String taskName, int exitCode, BigInteger durationMs) implements RuntimeEvent {

    public static final BigInteger MAX_MS =
        BigInteger.ONE.shiftLeft(Long.SIZE).subtract(BigInteger.ONE);

    public RuntimeEnd {
      if (durationMs.signum() < 0 || durationMs.compareTo(MAX_MS) > 0) {
        throw new IllegalArgumentException(
            "durationMs: " + durationMs + " (expected: 0.." + MAX_MS + ")");
      }
    }

    public RuntimeEnd(String taskName, int exitCode, long durationMs) {
      this(taskName, exitCode, BigInteger.valueOf(durationMs));
    }
  }

  /** The end of a run that could not finish; {@code kind} is the text as sent. */
  record RuntimeError(String taskName, String kind, String message) implements RuntimeEvent {

    public RuntimeErrorKind errorKind() {
      return RuntimeErrorKind.fromWire(kind);
    }
  }

  /** Returns the type name on the wire. */
  default String type() {
    return switch (this) {
      case RuntimeStart ignored -> "RuntimeStart";
      case RuntimeStdout ignored -> "RuntimeStdout";
      case RuntimeStderr ignored -> "RuntimeStderr";
      case RuntimeEnd ignored -> "RuntimeEnd";
      case RuntimeError ignored -> "RuntimeError";
    };
  }

  /** Returns the JSON envelope; it is encodable as UTF-8 whatever the texts contain. */
  default String encode() {
    return RuntimeEventWriter.write(this);
  }

  /**
   * Parses an envelope and ignores unknown fields.
   *
   * @throws UndecodableEventException when it is none of the five events
   */
  static RuntimeEvent decode(String envelope) {
    return RuntimeEventReader.read(envelope);
  }

  /** Reads a parsed envelope, like {@link #decode(String)}. */
  static RuntimeEvent decode(JsonNode envelope) {
    return RuntimeEventReader.read(envelope);
  }

  /** Writes events as JSON envelopes. */
  static final class RuntimeEventWriter {

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

  /** Thrown when the input is no runtime event; the message states what was expected. */
  final class UndecodableEventException extends IllegalArgumentException {

    UndecodableEventException(String message) {
      super(message);
    }
  }
}

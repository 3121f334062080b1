package dev.muster.protocol;

import java.math.BigInteger;
import tools.jackson.databind.JsonNode;

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
}

package dev.muster.protocol;

import java.math.BigInteger;
import tools.jackson.databind.JsonNode;

/**
 * What happens while a sandbox runs code: a start, chunks of output, and one end, or one error
 * instead of it (contract, 9). On the wire {@code {"type":…,"payload":{…}}}, compact, fields in
 * their declared order; equal after a round trip.
 */
public sealed interface RuntimeEvent {

  /** The task that wraps the run; all events of a run carry it. */
  String taskName();

  /** Of a run that begins; {@code language} is a free word, such as {@code python}. */
  record RuntimeStart(String taskName, String runtimeName, String language)
      implements RuntimeEvent {}

  /** Some more of what the run has written to its standard output. */
  record RuntimeStdout(String taskName, String chunk) implements RuntimeEvent {}

  /** Some more of what the run has written to its standard error. */
  record RuntimeStderr(String taskName, String chunk) implements RuntimeEvent {}

  /**
   * Of a run that came to its own end, well or not.
   *
   * @param exitCode 0 when all went well; may be negative
   * @param durationMs 0 to 2<sup>64</sup> − 1
   */
  record RuntimeEnd(String taskName, int exitCode, BigInteger durationMs) implements RuntimeEvent {

    public static final BigInteger LONGEST_MS =
        BigInteger.ONE.shiftLeft(Long.SIZE).subtract(BigInteger.ONE);

    public RuntimeEnd {
      if (durationMs.signum() < 0 || durationMs.compareTo(LONGEST_MS) > 0) {
        throw new IllegalArgumentException(
            "durationMs: " + durationMs + " (expected: 0.." + LONGEST_MS + ")");
      }
    }

    public RuntimeEnd(String taskName, int exitCode, long durationMs) {
      this(taskName, exitCode, BigInteger.valueOf(durationMs));
    }
  }

  /** Of a run that could not be brought to its end; {@code kind} is the word as it was sent. */
  record RuntimeError(String taskName, String kind, String message) implements RuntimeEvent {

    public RuntimeErrorKind errorKind() {
      return RuntimeErrorKind.fromWire(kind);
    }
  }

  /** The word on the wire. */
  default String type() {
    return switch (this) {
      case RuntimeStart _ -> "RuntimeStart";
      case RuntimeStdout _ -> "RuntimeStdout";
      case RuntimeStderr _ -> "RuntimeStderr";
      case RuntimeEnd _ -> "RuntimeEnd";
      case RuntimeError _ -> "RuntimeError";
    };
  }

  /** As its envelope; fit for UTF-8, whatever the texts hold. */
  default String encode() {
    return RuntimeEventWriter.write(this);
  }

  /**
   * Reads an envelope, ignoring what it does not know in it; whatever is not one of the five events
   * throws an {@link UndecodableEventException}.
   */
  static RuntimeEvent decode(String envelope) {
    return RuntimeEventReader.read(envelope);
  }

  /** As {@link #decode(String)}, of an envelope that is parsed already. */
  static RuntimeEvent decode(JsonNode envelope) {
    return RuntimeEventReader.read(envelope);
  }
}

package dev.muster.runtime;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.muster.platform.text.Text;
import dev.muster.protocol.RuntimeErrorKind;
import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.RuntimeError;
import dev.muster.protocol.RuntimeEvent.RuntimeStart;
import dev.muster.runtime.Run.RunStatus;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The state of a run as derived from its events, without its output (R9.3).
 *
 * <p>A run accepts events until it is closed by its own end or by the next start of its task. If
 * its workspace goes offline or is removed in between, the run stays lost but open. Later events of
 * a returned agent still belong to it.
 *
 * @param firstSeq the number of its first event
 * @param runtimeName null without a start event, as is {@code language}
 * @param stdoutBytes UTF-8 size of all text written to stdout
 * @param closedAt time of its end event or of the next start of its task; null while open
 * @param lostAt time when the run was lost without an end event; null otherwise
 */
record Run(
    UUID workspaceId,
    long firstSeq,
    TaskName task,
    @Nullable String runtimeName,
    @Nullable String language,
    @Nullable RunEnd end,
    long stdoutBytes,
    long stderrBytes,
    Instant startedAt,
    Instant lastEventAt,
    @Nullable Instant closedAt,
    @Nullable Instant lostAt) {

  static final int MAX_WORD_LENGTH = 255;
  private static final int MAX_MESSAGE_LENGTH = 4096;

  static Run startedBy(RuntimeStart start, UUID workspaceId, long seq, Instant at) {
    return begunBy(
        workspaceId,
        seq,
        TaskName.named(start.taskName()),
        shown(start.runtimeName(), MAX_WORD_LENGTH),
        shown(start.language(), MAX_WORD_LENGTH),
        at);
  }

  /** Creates a run without a start event, from its first event. */
  static Run startedBy(TaskName task, UUID workspaceId, long seq, Instant at) {
    return begunBy(workspaceId, seq, task, null, null, at);
  }

  private static Run begunBy(
      UUID workspaceId,
      long seq,
      TaskName task,
      @Nullable String runtimeName,
      @Nullable String language,
      Instant at) {
    return new Run(workspaceId, seq, task, runtimeName, language, null, 0, 0, at, at, null, null);
  }

  Run wrote(long moreStdout, long moreStderr, Instant at) {
    return new Run(
        workspaceId,
        firstSeq,
        task,
        runtimeName,
        language,
        end,
        stdoutBytes + moreStdout,
        stderrBytes + moreStderr,
        startedAt,
        at,
        closedAt,
        lostAt);
  }

  Run endedBy(RuntimeEnd end, Instant at) {
    return closed(new RunEnd.Exited(end.exitCode(), end.durationMs()), at, at, lostAt);
  }

  Run endedBy(RuntimeError end, Instant at) {
    RunEnd how =
        new RunEnd.Errored(
            shown(end.kind(), MAX_WORD_LENGTH), shown(end.message(), MAX_MESSAGE_LENGTH));
    return closed(how, at, at, lostAt);
  }

  /** Closes this run because its task starts again; without an end event it is lost. */
  Run supersededAt(Instant at) {
    return closed(end, lastEventAt, at, lostAt == null ? at : lostAt);
  }

  private Run closed(
      @Nullable RunEnd how, Instant eventAt, Instant at, @Nullable Instant nowLostAt) {
    return new Run(
        workspaceId,
        firstSeq,
        task,
        runtimeName,
        language,
        how,
        stdoutBytes,
        stderrBytes,
        startedAt,
        eventAt,
        at,
        nowLostAt);
  }

  boolean isOpen() {
    return closedAt == null;
  }

  /** Returns the status; a lost run stays lost even if its end event arrives later. */
  RunStatus status() {
    if (lostAt != null) {
      return RunStatus.LOST;
    }
    return end == null ? RunStatus.RUNNING : end.status();
  }

  /** Returns the known time of the end; null while the run is running. */
  @Nullable Instant endedAt() {
    return end == null ? lostAt : closedAt;
  }

  private static String shown(String text, int most) {
    return Text.cut(Text.clean(text), most);
  }

  /** The status of a run (R9.3). */
  enum RunStatus {
    RUNNING,
    SUCCEEDED,
    /** Ended with an exit code other than 0. */
    FAILED,
    /** Ended with an error event other than a cancellation. */
    ERRORED,
    CANCELLED,
    /** The workspace went offline or was removed during the run, or the task started again. */
    LOST;

    @JsonValue
    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The end of a run as its end event or error event reports it. */
  sealed interface RunEnd {

    RunStatus status();

    record Exited(int exitCode, BigInteger durationMs) implements RunEnd {

      @Override
      public RunStatus status() {
        return exitCode == 0 ? RunStatus.SUCCEEDED : RunStatus.FAILED;
      }
    }

    record Errored(String kind, String message) implements RunEnd {

      @Override
      public RunStatus status() {
        return switch (RuntimeErrorKind.fromWire(kind)) {
          case CANCELLED -> RunStatus.CANCELLED;
          case NOT_CONFIGURED, TIMEOUT, SANDBOX_UNAVAILABLE, OOM_KILLED, INTERNAL, UNKNOWN ->
              RunStatus.ERRORED;
        };
      }
    }
  }
}

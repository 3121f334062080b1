package dev.muster.runtime;

import dev.muster.platform.text.Text;
import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.RuntimeError;
import dev.muster.protocol.RuntimeEvent.RuntimeStart;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A run as its events tell it, but for its output (R9.3).
 *
 * <p>It takes events until it is closed: by its end, or by the next start of its task. That its
 * workspace went away in between makes it a lost one for good, but does not close it: what an agent
 * that came back still tells of it belongs to it.
 *
 * @param firstSeq the number of its first event
 * @param runtimeName null when nobody told of its start, and so is {@code language}
 * @param stdoutBytes of all that it has written, in UTF-8
 * @param closedAt when its end was told, or the next run of its task began
 * @param lostAt when nobody could expect its end any more, if it had not been told
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

  /** One whose start was not told: by the first thing that was. */
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

  Run endedBy(RuntimeEnd told, Instant at) {
    return closed(new RunEnd.Exited(told.exitCode(), told.durationMs()), at, at, lostAt);
  }

  Run endedBy(RuntimeError told, Instant at) {
    RunEnd how =
        new RunEnd.Errored(
            shown(told.kind(), MAX_WORD_LENGTH), shown(told.message(), MAX_MESSAGE_LENGTH));
    return closed(how, at, at, lostAt);
  }

  /** The task begins anew: nobody will tell how this one ended. */
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

  /** A lost one stays lost, also when its end is told later. */
  RunStatus status() {
    if (lostAt != null) {
      return RunStatus.LOST;
    }
    return end == null ? RunStatus.RUNNING : end.status();
  }

  /** When it was over, as far as anybody knows. */
  @Nullable Instant endedAt() {
    return end == null ? lostAt : closedAt;
  }

  private static String shown(String text, int most) {
    return Text.cut(Text.clean(text), most);
  }
}

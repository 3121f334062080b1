package dev.muster.runtime;

import dev.muster.runtime.Run.RunEnd;
import dev.muster.runtime.Run.RunStatus;
import java.math.BigInteger;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A run as the API returns it (R9.3).
 *
 * @param truncated whether {@code stdout} or {@code stderr} omits earlier output
 */
record RunView(
    UUID runId,
    String taskName,
    @Nullable String runtimeName,
    @Nullable String language,
    RunStatus status,
    @Nullable Integer exitCode,
    @Nullable BigInteger durationMs,
    @Nullable String errorKind,
    @Nullable String errorMessage,
    String stdout,
    String stderr,
    boolean truncated,
    long stdoutBytes,
    long stderrBytes,
    Instant startedAt,
    @Nullable Instant endedAt) {

  static RunView of(Run run, String stdout, String stderr) {
    return new RunView(
        RuntimeIds.of(run.workspaceId(), run.firstSeq()),
        run.task().name(),
        run.runtimeName(),
        run.language(),
        run.status(),
        run.end() instanceof RunEnd.Exited exited ? exited.exitCode() : null,
        run.end() instanceof RunEnd.Exited exited ? exited.durationMs() : null,
        run.end() instanceof RunEnd.Errored errored ? errored.kind() : null,
        run.end() instanceof RunEnd.Errored errored ? errored.message() : null,
        stdout,
        stderr,
        run.stdoutBytes() > OutputPiece.MAX_KEPT_BYTES
            || run.stderrBytes() > OutputPiece.MAX_KEPT_BYTES,
        run.stdoutBytes(),
        run.stderrBytes(),
        run.startedAt(),
        run.endedAt());
  }
}

package dev.muster.runtime;

import dev.muster.protocol.RuntimeErrorKind;
import java.math.BigInteger;

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

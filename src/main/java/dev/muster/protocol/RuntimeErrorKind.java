package dev.muster.protocol;

import java.util.Arrays;
import java.util.Optional;

/** The reasons known to this version why a run ended with an error. */
public enum RuntimeErrorKind {
  /** No sandbox is configured. */
  NOT_CONFIGURED("NotConfigured"),
  /** The run exceeded its time limit. */
  TIMEOUT("Timeout"),
  /** The sandbox was unreachable, or the connection to it broke. */
  SANDBOX_UNAVAILABLE("SandboxUnavailable"),
  /** The run exceeded its memory limit. */
  OOM_KILLED("OomKilled"),
  /** A user or program stopped the run. */
  CANCELLED("Cancelled"),
  /** Any other failure. */
  INTERNAL("Internal"),
  /** A kind that a newer sender uses; the event keeps its text. */
  UNKNOWN(null);

  private final Optional<String> wire;

  RuntimeErrorKind(@org.jspecify.annotations.Nullable String wire) {
    this.wire = Optional.ofNullable(wire);
  }

  /** Returns the kind for an exact match, otherwise {@link #UNKNOWN}. */
  public static RuntimeErrorKind fromWire(String word) {
    return Arrays.stream(values())
        .filter(kind -> kind.wire.equals(Optional.of(word)))
        .findFirst()
        .orElse(UNKNOWN);
  }

  /** Returns the text on the wire; empty for {@link #UNKNOWN}. */
  public Optional<String> toWire() {
    return wire;
  }

  /**
   * Returns whether the run was stopped on purpose: programs report it and never retry.
   *
   * <p>For all other kinds the caller decides about a retry.
   */
  public boolean isTerminal() {
    return this == CANCELLED;
  }
}

package dev.muster.protocol;

import java.util.Arrays;
import java.util.Optional;

/** Why a run could not be brought to its end, as far as this version knows the reasons. */
public enum RuntimeErrorKind {
  /** There is no sandbox to run in. */
  NOT_CONFIGURED("NotConfigured"),
  /** It took longer than it was allowed. */
  TIMEOUT("Timeout"),
  /** The sandbox could not be reached, or the connection to it broke. */
  SANDBOX_UNAVAILABLE("SandboxUnavailable"),
  /** It wanted more memory than it was allowed. */
  OOM_KILLED("OomKilled"),
  /** Somebody stopped it. */
  CANCELLED("Cancelled"),
  /** Anything else that went wrong. */
  INTERNAL("Internal"),
  /** A word of a newer sender; it stands on the event as it was sent. */
  UNKNOWN(null);

  private final Optional<String> wire;

  RuntimeErrorKind(@org.jspecify.annotations.Nullable String wire) {
    this.wire = Optional.ofNullable(wire);
  }

  /** {@link #UNKNOWN} for every word that is not exactly one of the six. */
  public static RuntimeErrorKind fromWire(String word) {
    return Arrays.stream(values())
        .filter(kind -> kind.wire.equals(Optional.of(word)))
        .findFirst()
        .orElse(UNKNOWN);
  }

  /** Empty for {@link #UNKNOWN}, which has no word of its own. */
  public Optional<String> toWire() {
    return wire;
  }

  /**
   * Whether it is somebody's decision: never tried again by a program, and handed upward. Whether
   * another try makes sense after one that is not is for its caller to say.
   */
  public boolean isTerminal() {
    return this == CANCELLED;
  }
}

package dev.muster.console.bulk;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.muster.console.fleet.FleetTargets.Hindrance;
import dev.muster.platform.problem.ErrorCode;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The change that a bulk run makes to each of its workspaces. */
enum BulkAction {
  PAUSE(Hindrance.LIVE),
  RESUME(Hindrance.NONE),
  RESTART(Hindrance.NONE),
  MESSAGE(Hindrance.CALLED),
  REMOVE(Hindrance.ALL);

  private static final int STATUS_CHANGE_BATCH_SIZE = 1000;
  private static final int MESSAGE_BATCH_SIZE = 100;
  private static final String IS_PAUSED = "paused";

  private final Hindrance hindrance;

  BulkAction(Hindrance hindrance) {
    this.hindrance = hindrance;
  }

  @JsonValue
  String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  static BulkAction of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  Hindrance hindrance() {
    return hindrance;
  }

  /** Returns why workspaces with the {@link #hindrance} would not be changed. */
  String blocked() {
    return hindrance == Hindrance.CALLED
        ? "paused: its agent is not called"
        : "has children that would not be changed with it";
  }

  /** Returns how many workspaces one transaction changes. */
  int batchSize() {
    return this == MESSAGE ? MESSAGE_BATCH_SIZE : STATUS_CHANGE_BATCH_SIZE;
  }

  /** Returns the action that undoes this one; empty when none does. */
  Optional<BulkAction> reverse() {
    return switch (this) {
      case PAUSE -> Optional.of(RESUME);
      case RESUME -> Optional.of(PAUSE);
      case RESTART, MESSAGE, REMOVE -> Optional.empty();
    };
  }

  /** Returns why workspaces of this status would be skipped; null when they would be changed. */
  @Nullable String skipped(String status) {
    boolean isPaused = status.equals(IS_PAUSED);
    return switch (this) {
      case PAUSE -> isPaused ? "paused already" : null;
      case RESUME -> isPaused ? null : "not paused";
      case RESTART, MESSAGE, REMOVE -> null;
    };
  }

  /**
   * Returns whether a refusal means that the workspace was in that state already, or no longer in
   * the expected one.
   */
  static boolean isSkip(ErrorCode refusal) {
    return refusal == ErrorCode.WRONG_STATE;
  }
}

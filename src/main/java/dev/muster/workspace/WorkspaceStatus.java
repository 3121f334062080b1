package dev.muster.workspace;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Names the status of a workspace (docs/api.md, section 2). The last three words are reserved by
 * the protocol family.
 */
public enum WorkspaceStatus {
  AWAITING_AGENT,
  ONLINE,
  DEGRADED,
  OFFLINE,
  PAUSED,
  FAILED,
  REMOVED,
  PROVISIONING,
  HIBERNATING,
  HIBERNATED;

  @JsonValue
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<WorkspaceStatus> find(String wire) {
    return Arrays.stream(values()).filter(status -> status.wire().equals(wire)).findFirst();
  }

  /** Parses a stored word. */
  public static WorkspaceStatus of(String wire) {
    return find(wire).orElseThrow(() -> new IllegalArgumentException(wire + " is no status"));
  }

  /** Whether the workspace is neither paused nor removed. */
  public boolean isLive() {
    return this != PAUSED && this != REMOVED;
  }
}

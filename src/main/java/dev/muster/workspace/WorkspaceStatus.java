package dev.muster.workspace;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * How a workspace is (contract, section 2); the last three are reserved words of the protocol
 * family.
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

  /** Of a stored word. */
  public static WorkspaceStatus of(String wire) {
    return find(wire).orElseThrow(() -> new IllegalArgumentException(wire + " is no status"));
  }

  /** Neither paused by its operator nor removed. */
  public boolean isLive() {
    return this != PAUSED && this != REMOVED;
  }
}

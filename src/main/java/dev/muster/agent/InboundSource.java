package dev.muster.agent;

/** Who a message is from, which decides how it is answered. */
public enum InboundSource {
  /** A human at the canvas; answered by a notification. */
  CANVAS_USER,
  /** Another workspace's agent; answered by a message to its workspace. */
  PEER_AGENT,
  /** The control plane, with the result of a delegation; there is nobody to answer. */
  SYSTEM,
  /** The row does not say; not answered, rather than by guessing. */
  UNKNOWN;

  /**
   * Of a row of the activity log. Where the word is missing, an id decides: one that is not {@code
   * "user"} is almost certainly a workspace's.
   */
  static InboundSource of(String word, String sourceId) {
    return switch (word) {
      case "canvas_user", "user" -> CANVAS_USER;
      case "peer_agent" -> PEER_AGENT;
      case "system" -> sourceId.isEmpty() ? SYSTEM : byId(sourceId);
      default -> byId(sourceId);
    };
  }

  private static InboundSource byId(String sourceId) {
    return switch (sourceId) {
      case "" -> UNKNOWN;
      case "user" -> CANVAS_USER;
      default -> PEER_AGENT;
    };
  }
}

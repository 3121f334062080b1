package dev.muster.agent;

/** Names the kind of sender, which decides how a message is answered. */
public enum InboundSource {
  /** The user of the canvas; answered by a notification. */
  CANVAS_USER,
  /** The agent of another workspace; answered by a message to that workspace. */
  PEER_AGENT,
  /** The control plane, with the result of a delegation; cannot be answered. */
  SYSTEM,
  /** The message names no sender; not answered, because a guess could reach the wrong one. */
  UNKNOWN;

  /**
   * Maps the source word and the source id of a message. Without a known word, or for {@code
   * system} with an id, the id decides: one other than {@code "user"} counts as a workspace id.
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

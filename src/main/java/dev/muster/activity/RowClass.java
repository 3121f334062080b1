package dev.muster.activity;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The letters by which readings find rows without passing others (R6.2): each row has one, and a
 * reading merges those of a few.
 */
final class RowClass {

  static final String CANVAS = "c";
  static final String PEER = "p";
  static final String SYSTEM = "s";
  static final String NOTIFICATION = "n";

  /** A received row that the agent itself reported. */
  static final String OWN = "o";

  private static final String OTHER_TYPE = "x";

  private static final Map<String, String> OF_TYPE =
      Map.of(
          "a2a_send", "A",
          "task_update", "T",
          "agent_log", "L",
          "skill_promotion", "S",
          "memory_write", "M",
          "error", "E",
          "delegation", "D");

  /** What an agent is to hear of (R6.5). */
  static final List<String> INBOX = List.of(CANVAS, PEER, SYSTEM);

  static final List<String> INBOX_AND_NOTIFICATIONS = List.of(CANVAS, PEER, SYSTEM, NOTIFICATION);

  private static final List<String> RECEIVED = List.of(CANVAS, PEER, SYSTEM, NOTIFICATION, OWN);

  /** What people at the canvas said, and what was said to them. */
  static final List<String> CHAT = List.of(CANVAS, NOTIFICATION);

  private RowClass() {}

  static String of(NewActivity row) {
    return of(row.activityType(), row.source(), row.sourceId());
  }

  static String of(String activityType, ActivitySource source, @Nullable UUID sourceId) {
    if (!activityType.equals(NewActivity.RECEIVED)) {
      return OF_TYPE.getOrDefault(activityType, OTHER_TYPE);
    }
    return switch (source) {
      case CANVAS_USER -> CANVAS;
      case PEER_AGENT -> PEER;
      case SYSTEM -> SYSTEM;
      case SELF -> sourceId == null ? NOTIFICATION : OWN;
    };
  }

  /** Those that all rows of a type have. */
  static List<String> ofType(String activityType) {
    return activityType.equals(NewActivity.RECEIVED)
        ? RECEIVED
        : List.of(OF_TYPE.getOrDefault(activityType, OTHER_TYPE));
  }
}

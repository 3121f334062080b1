package dev.muster.message.store;

import dev.muster.message.NewActivity;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Maps each row to one class letter (R6.2). The letter is indexed, so that a read skips other rows.
 * A read merges the rows of a few letters.
 */
public final class RowClass {

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

  /** The rows that an agent receives (R6.5). */
  public static final List<String> INBOX = List.of(CANVAS, PEER, SYSTEM);

  public static final List<String> INBOX_AND_NOTIFICATIONS =
      List.of(CANVAS, PEER, SYSTEM, NOTIFICATION);

  private static final List<String> RECEIVED = List.of(CANVAS, PEER, SYSTEM, NOTIFICATION, OWN);

  /** Canvas messages and notifications. */
  public static final List<String> CHAT = List.of(CANVAS, NOTIFICATION);

  private RowClass() {}

  public static String of(NewActivity row) {
    return of(row.activityType(), row.source(), row.sourceId());
  }

  public static String of(String activityType, ActivitySource source, @Nullable UUID sourceId) {
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

  /** Tells whether all rows with the letters of this type are of this type. */
  public static boolean hasOwnLetter(String activityType) {
    return activityType.equals(NewActivity.RECEIVED) || OF_TYPE.containsKey(activityType);
  }

  /** Returns the letters that rows of this type may have. */
  public static List<String> ofType(String activityType) {
    return activityType.equals(NewActivity.RECEIVED)
        ? RECEIVED
        : List.of(OF_TYPE.getOrDefault(activityType, OTHER_TYPE));
  }
}

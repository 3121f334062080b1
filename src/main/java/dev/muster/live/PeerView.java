package dev.muster.live;

import dev.muster.event.EventType;
import dev.muster.event.LastValue;
import dev.muster.platform.text.RawJson;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reduces events to what a peer may see (R10.3). A peer sees status, name, url and card, as
 * discover and peers show them. It does not see the content of messages or tasks, or live events.
 */
final class PeerView {

  private static final Set<String> RECORDED =
      Arrays.stream(EventType.values())
          .filter(PeerView::shows)
          .map(EventType::name)
          .collect(Collectors.toUnmodifiableSet());

  private static final Set<String> MEMBERS =
      Set.of(
          "status",
          "previous_status",
          "status_since",
          "stalled_since",
          "recovered_from",
          "name",
          "url",
          "delivery_mode",
          "agent_card",
          "active_tasks");

  private PeerView() {}

  /** Whether peers see events of this type. A type unknown to this version is not shown. */
  static boolean showsRecorded(String eventType) {
    return RECORDED.contains(eventType);
  }

  /** Has no default branch, so that a new event type does not compile unclassified. */
  private static boolean shows(EventType type) {
    return switch (type) {
      case WORKSPACE_AWAITING_AGENT,
          WORKSPACE_ONLINE,
          WORKSPACE_DEGRADED,
          WORKSPACE_OFFLINE,
          WORKSPACE_STALLED,
          WORKSPACE_STALL_ENDED,
          WORKSPACE_PAUSED,
          WORKSPACE_UPDATED,
          WORKSPACE_REMOVED,
          AGENT_CARD_UPDATED ->
          true;
      case LIVENESS_SUSPENDED,
          WORKSPACE_RESTART_REQUESTED,
          DELEGATION_SENT,
          DELEGATION_STATUS,
          DELEGATION_STUCK,
          DELEGATION_COMPLETE,
          DELEGATION_FAILED ->
          false;
    };
  }

  static boolean shows(LastValue.Kind kind) {
    return switch (kind) {
      case WORKSPACE_HEARTBEAT -> true;
      case TASK_UPDATED -> false;
    };
  }

  static Map<Object, @Nullable Object> reduced(Map<?, ?> payload) {
    Map<Object, @Nullable Object> kept = new LinkedHashMap<>();
    payload.forEach((name, value) -> {
      if (MEMBERS.contains(name)) {
        kept.put(name, value);
      }
    });
    return kept;
  }

  /** Returns the payload with the permitted members only; their bytes are unchanged (R0.8). */
  static RawJson reduced(RawJson payload) {
    return new RawJson(
        PayloadMembers.of(payload, MEMBERS::contains).entrySet().stream()
            .map(member -> "\"" + member.getKey() + "\":" + member.getValue())
            .collect(Collectors.joining(",", "{", "}")));
  }
}

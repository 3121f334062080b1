package dev.muster.live;

import dev.muster.event.EventType;
import dev.muster.event.LastValue;
import dev.muster.platform.json.RawJson;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a workspace's token sees of the workspaces it may talk to (R10.3): how they are, as discover
 * and peers show it, and nothing of what they say or work on. Live events are never among it.
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
          "recovered_from",
          "name",
          "url",
          "delivery_mode",
          "agent_card",
          "active_tasks");

  /** What was stored is read whatever its size. */
  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(Integer.MAX_VALUE)
                          .maxNumberLength(Integer.MAX_VALUE)
                          .maxStringLength(Integer.MAX_VALUE)
                          .maxNameLength(Integer.MAX_VALUE)
                          .build())
                  .build())
          .build();

  private PeerView() {}

  /** Types that this version does not know are not shown. */
  static boolean showsRecorded(String eventType) {
    return RECORDED.contains(eventType);
  }

  /** No default: a new type does not compile until it is decided here. */
  private static boolean shows(EventType type) {
    return switch (type) {
      case WORKSPACE_AWAITING_AGENT,
          WORKSPACE_ONLINE,
          WORKSPACE_DEGRADED,
          WORKSPACE_OFFLINE,
          WORKSPACE_STALLED,
          WORKSPACE_PAUSED,
          WORKSPACE_UPDATED,
          WORKSPACE_REMOVED,
          AGENT_CARD_UPDATED ->
          true;
      case LIVENESS_SUSPENDED,
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

  /** The members that stay are the same, byte for byte (R0.8). */
  static RawJson reduced(RawJson payload) {
    String text = payload.text();
    StringBuilder kept = new StringBuilder("{");
    try (JsonParser parser = JSON.createParser(text)) {
      parser.nextToken();
      for (String name = parser.nextName(); name != null; name = parser.nextName()) {
        parser.nextToken();
        long start = parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        parser.finishToken();
        long end = parser.currentLocation().getCharOffset();
        if (MEMBERS.contains(name)) {
          kept.append(kept.length() > 1 ? "," : "").append('"').append(name).append("\":");
          kept.append(text, (int) start, (int) end);
        }
      }
    }
    return new RawJson(kept.append('}').toString());
  }
}

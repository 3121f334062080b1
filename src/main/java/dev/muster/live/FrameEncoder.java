package dev.muster.live;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Encodes frames for the wire. It caches the text of recorded events, one in full and one for
 * peers. So a recorded event is usually encoded once per form, not once per stream.
 */
@Component
class FrameEncoder {

  private static final long MAX_CHARACTERS = 16L << 20;

  private final JsonMapper json;
  private final Cache<Key, String> forWebSockets = cache();
  private final Cache<Key, String> forServerSentEvents = cache();

  private record Key(long seq, boolean isForPeers) {}

  FrameEncoder(JsonMapper json) {
    this.json = json;
  }

  /** Encodes each frame as the text of a WebSocket message (R10.3). */
  List<String> forWebSocket(List<Frame> frames) {
    return frames.stream().map(frame -> text(forWebSockets, frame, this::webSocketText)).toList();
  }

  /** Encodes a frame as a server-sent event with its {@code id} and final empty line (R10.4). */
  String forServerSentEvents(Frame frame) {
    return text(forServerSentEvents, frame, this::serverSentText);
  }

  private String webSocketText(Frame frame) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("event", frame.event());
    fields.put("workspace_id", frame.workspaceId());
    fields.put("timestamp", frame.timestamp());
    fields.put("payload", frame.content());
    if (frame.seq() != null) {
      fields.put("seq", frame.seq());
    }
    return json.writeValueAsString(fields);
  }

  private String serverSentText(Frame frame) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("type", frame.event());
    fields.put("timestamp", frame.timestamp().toEpochMilli());
    fields.put("data", frame.content());
    fields.put("workspace_id", frame.workspaceId());
    String id = frame.seq() == null ? "" : "id: " + frame.seq() + "\n";
    return id + "data: " + onOneLine(json.writeValueAsString(fields)) + "\n\n";
  }

  /**
   * Replaces line breaks, which would end the {@code data} field. Stored cards keep their bytes,
   * and a line break in JSON can occur only between tokens.
   */
  private static String onOneLine(String json) {
    return json.replace('\n', ' ').replace('\r', ' ');
  }

  private static String text(
      Cache<Key, String> written, Frame frame, Function<Frame, String> write) {
    @Nullable Long seq = frame.seq();
    return seq == null
        ? write.apply(frame)
        : Objects.requireNonNull(
            written.get(new Key(seq, frame.isForPeers()), unknown -> write.apply(frame)));
  }

  private static Cache<Key, String> cache() {
    return Caffeine.newBuilder()
        .maximumWeight(MAX_CHARACTERS)
        .weigher((Key key, String text) -> text.length())
        .build();
  }
}

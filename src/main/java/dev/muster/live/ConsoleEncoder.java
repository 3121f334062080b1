package dev.muster.live;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.platform.text.RawJson;
import dev.muster.platform.text.Text;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Encodes recorded events for the console, in batches and with short names. Leaves out members that
 * the console does not show, such as cards.
 */
@Component
class ConsoleEncoder {

  private static final int MAX_EVENTS = 500;
  private static final int ERROR_CHARACTERS = 160;
  private static final long MAX_CHARACTERS = 8L << 20;
  private static final String CONTINUES_AFTER = "continues_after";

  /** The members of a payload that are kept, and their names in a batch. */
  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry("status", "status"),
          Map.entry("previous_status", "was"),
          Map.entry("status_since", "since"),
          Map.entry("stalled_since", "stalled"),
          Map.entry("degraded_reason", "reason"),
          Map.entry("last_heartbeat_at", "heard"),
          Map.entry("sample_error", "error"),
          Map.entry("error", "error"),
          Map.entry("name", "name"),
          Map.entry("role", "role"),
          Map.entry("tier", "tier"),
          Map.entry("parent_id", "parent"),
          Map.entry("runtime", "runtime"),
          Map.entry("delivery_mode", "mode"),
          Map.entry("active_tasks", "tasks"),
          Map.entry("delegation_id", "delegation"),
          Map.entry("target_id", "target"),
          Map.entry("hold_until", "until"),
          Map.entry("reason", "reason"),
          Map.entry("requested_after", "requested_after"),
          Map.entry(CONTINUES_AFTER, CONTINUES_AFTER));

  private record Key(long seq, boolean isForPeers) {}

  private final JsonMapper json;
  private final InstantSource clock;
  private final Cache<Key, String> written =
      Caffeine.newBuilder()
          .maximumWeight(MAX_CHARACTERS)
          .weigher((Key key, String text) -> text.length())
          .build();

  ConsoleEncoder(JsonMapper json, InstantSource clock) {
    this.json = json;
    this.clock = clock;
  }

  /**
   * Encodes frames as batches {@code {"seq", "at", "events"}}, each of at most 500 events. {@code
   * at} is the time of the encoding. A tick is a batch without events.
   */
  List<String> batches(List<Frame> frames) {
    List<String> batches = new ArrayList<>();
    for (int from = 0; from < frames.size(); from += MAX_EVENTS) {
      batches.add(batch(frames.subList(from, Math.min(frames.size(), from + MAX_EVENTS))));
    }
    return batches;
  }

  private String batch(List<Frame> frames) {
    StringBuilder text = new StringBuilder("{\"seq\":");
    text.append(place(frames.getLast())).append(",\"at\":\"").append(clock.instant());
    text.append("\",\"events\":[");
    text.append(
        frames.stream()
            .filter(frame -> !frame.isTick())
            .map(this::text)
            .collect(Collectors.joining(",")));
    return text.append("]}").toString();
  }

  /** Returns the number to continue after: the event's own, or the end of the gap. */
  private static Object place(Frame frame) {
    return frame.seq() == null && frame.payload() instanceof Map<?, ?> gap
        ? Objects.requireNonNull(gap.get(CONTINUES_AFTER))
        : Objects.requireNonNull(frame.seq());
  }

  private String text(Frame frame) {
    @Nullable Long seq = frame.seq();
    return seq == null
        ? write(frame)
        : Objects.requireNonNull(
            written.get(new Key(seq, frame.isForPeers()), unknown -> write(frame)));
  }

  private String write(Frame frame) {
    Map<String, @Nullable Object> event = new LinkedHashMap<>();
    event.put("s", frame.seq());
    event.put("e", frame.event());
    event.put("w", frame.workspaceId());
    event.put("at", frame.timestamp());
    PayloadMembers.of(payload(frame), NAMES::containsKey)
        .forEach((name, value) -> event.put(NAMES.get(name), kept(name, value)));
    return json.writeValueAsString(event);
  }

  private RawJson payload(Frame frame) {
    Object content = frame.content();
    return content instanceof RawJson raw ? raw : new RawJson(json.writeValueAsString(content));
  }

  private Object kept(String name, String value) {
    return NAMES.getOrDefault(name, "").equals("error") && value.startsWith("\"")
        ? Text.cut(json.readTree(value).asString(), ERROR_CHARACTERS)
        : new RawJson(value);
  }
}

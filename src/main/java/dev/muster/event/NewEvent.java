package dev.muster.event;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Something that the caller's transaction does; {@code payload} is written as a JSON object in its
 * order.
 */
public record NewEvent(
    EventType type, @Nullable UUID workspaceId, Map<String, ? extends @Nullable Object> payload) {

  public NewEvent {
    payload = Collections.unmodifiableMap(new LinkedHashMap<>(payload));
  }
}

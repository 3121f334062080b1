package dev.muster.event;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An event that the caller's transaction records; {@code payload} keeps its order in JSON. */
public record NewEvent(
    EventType type, @Nullable UUID workspaceId, Map<String, ? extends @Nullable Object> payload) {

  public NewEvent {
    payload = Collections.unmodifiableMap(new LinkedHashMap<>(payload));
  }
}

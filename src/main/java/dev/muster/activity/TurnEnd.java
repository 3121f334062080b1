package dev.muster.activity;

import dev.muster.platform.json.RawJson;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How the turn that began with a row of the feed of {@code workspaceId} has ended (R7.4): with the
 * agent's answer, or ({@code response} null) without one.
 */
public record TurnEnd(
    UUID workspaceId,
    UUID activityId,
    @Nullable RawJson response,
    Result result,
    @Nullable Companion companion)
    implements FeedChange {

  boolean isAnswered() {
    return response != null;
  }
}

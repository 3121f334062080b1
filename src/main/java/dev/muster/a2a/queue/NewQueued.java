package dev.muster.a2a.queue;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that is to wait for its target.
 *
 * @param activityId the message's row in the target's feed, and of no other queued message
 * @param senderId null for the human at the canvas
 * @param priority 100, 50 or 10; higher ones go first
 * @param life how long it may wait, see {@link QueueSettings#life}
 */
public record NewQueued(
    UUID activityId,
    UUID targetId,
    @Nullable UUID senderId,
    int priority,
    Duration life,
    QueueKind kind) {

  public NewQueued {
    if (life.isNegative() || life.isZero()) {
      throw new IllegalArgumentException("life: " + life + " (expected: more than zero)");
    }
  }

  public NewQueued(
      UUID activityId, UUID targetId, @Nullable UUID senderId, int priority, Duration life) {
    this(activityId, targetId, senderId, priority, life, QueueKind.MESSAGE);
  }
}

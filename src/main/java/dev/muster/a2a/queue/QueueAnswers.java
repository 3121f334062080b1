package dev.muster.a2a.queue;

import dev.muster.platform.json.RawJson;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongConsumer;

/** Knows what agents answered to messages that were queued. */
@FunctionalInterface
public interface QueueAnswers {

  /**
   * The {@code answer} of the queue's view of this row of a feed, once there is one; {@code memory}
   * is told its bytes before it is read, and may refuse them.
   */
  Optional<RawJson> answerOf(UUID activityId, LongConsumer memory);
}

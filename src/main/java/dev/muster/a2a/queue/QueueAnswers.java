package dev.muster.a2a.queue;

import dev.muster.platform.json.RawJson;
import java.util.Optional;
import java.util.UUID;

/** Knows what agents answered to messages that were queued. */
@FunctionalInterface
public interface QueueAnswers {

  /** The {@code answer} of the queue's view of this row of a feed, once there is one. */
  Optional<RawJson> answerOf(UUID activityId);
}

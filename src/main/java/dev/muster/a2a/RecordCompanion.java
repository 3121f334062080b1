package dev.muster.a2a;

import dev.muster.a2a.queue.EndState;
import dev.muster.a2a.queue.QueueKind;
import dev.muster.activity.Companion;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What happens to a message's record in the transaction of its row, or of its turn's end. */
sealed interface RecordCompanion extends Companion {

  /** It is new, and {@code owner} is delivering it. */
  record Sending(String owner) implements RecordCompanion {}

  /** It is new, and goes into the queue. */
  record Queueing(int priority, Duration life, QueueKind kind) implements RecordCompanion {}

  /**
   * Its turn ends.
   *
   * @param owner who must still be delivering it; null for the queue
   * @param deliveries how often the agent may have been given it, this time
   * @param reply null where the row's response is the body; else its sender was told this
   * @param queued which row of the queue ends with it
   */
  record Ending(
      @Nullable String owner,
      MessageState state,
      int deliveries,
      int status,
      String contentType,
      @Nullable String reply,
      @Nullable QueuedEnding queued)
      implements RecordCompanion {}

  /** The end of a queued message by the one who was given it to deliver. */
  record QueuedEnding(UUID queueId, String owner, EndState state, @Nullable String error) {}
}

package dev.muster.delivery;

import dev.muster.activity.ActivityKey;
import dev.muster.activity.MessageAdmission.Kind;
import dev.muster.activity.RowId;
import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that waits, or waited, in the queue.
 *
 * @param id of its row, by which its sender asks for it
 * @param senderId null for the canvas, and for the system
 * @param attempts how often it was tried, the attempt under way included
 * @param nextAttemptAt not tried before, after a failed attempt
 * @param deliveries how often the agent may have been given it, before the attempt under way
 * @param error of the last failed attempt, or of the end
 */
record QueuedMessage(
    ActivityKey key,
    UUID id,
    @Nullable UUID senderId,
    Kind kind,
    QueueState state,
    int priority,
    int attempts,
    Instant enqueuedAt,
    Instant nextAttemptAt,
    Instant expiresAt,
    @Nullable DeliveryClaim claim,
    int deliveries,
    @Nullable Instant endedAt,
    @Nullable String error) {

  /** Of a row of a delivery, or of an outcome, whose columns go by the same names. */
  static QueuedMessage of(
      ResultSet row, QueueState state, @Nullable DeliveryClaim claim, @Nullable Instant endedAt)
      throws SQLException {
    return new QueuedMessage(
        ActivityKey.of(row),
        RowId.of(row),
        row.getObject("sender_id", UUID.class),
        Kind.of(row.getString("kind")),
        state,
        row.getInt("priority"),
        row.getInt("attempts"),
        Timestamps.instant(row, "enqueued_at"),
        Timestamps.instant(row, "due_at"),
        Timestamps.instant(row, "expires_at"),
        claim,
        row.getInt("deliveries"),
        endedAt,
        row.getString("error"));
  }

  UUID targetId() {
    return key.workspaceId();
  }

  /** Of one that is held. */
  DeliveryClaim heldBy() {
    if (claim == null) {
      throw new IllegalStateException("the message " + id + " waits, and has no holder");
    }
    return claim;
  }
}

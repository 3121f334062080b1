package dev.muster.message.store;

import dev.muster.message.RowId;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that waits in the queue, or did.
 *
 * @param id the id of its activity row, by which the sender looks it up
 * @param senderId null for the canvas and for the system
 * @param attempts the number of delivery attempts, including a running one
 * @param nextAttemptAt the earliest time of the next attempt
 * @param claim null unless the message is being delivered
 * @param deliveries how often the agent may have got it before the running attempt
 * @param endedAt null before the message ends
 * @param error the error of the last failed attempt or of the end; null without one
 * @param lastStatus the HTTP status of the last failed attempt; null without one, and after the end
 */
public record QueuedMessage(
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
    @Nullable String error,
    @Nullable Integer lastStatus) {

  private static final long FIRST_PAUSE_S = 5;
  private static final long MAX_PAUSE_S = 300;

  /** After 6 doublings the pause exceeds its maximum. */
  private static final int MAX_DOUBLINGS = 6;

  /**
   * Reads a row of {@code deliveries} or {@code delivery_outcomes}, whose columns have the same
   * names.
   */
  public static QueuedMessage of(
      ResultSet row,
      QueueState state,
      @Nullable DeliveryClaim claim,
      @Nullable Instant endedAt,
      @Nullable Integer lastStatus)
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
        row.getString("error"),
        lastStatus);
  }

  /**
   * Returns the pause after a failed attempt (R7.7): what the agent asked for, from 5 to 300 s,
   * else 5 s × 2ⁿ, at most 300 s.
   *
   * @param failuresBefore n, the failures that directly precede this one
   */
  public static Duration pauseAfter(int failuresBefore, Optional<Duration> asked) {
    long doubled = FIRST_PAUSE_S << Math.clamp(failuresBefore, 0, MAX_DOUBLINGS);
    long wanted = asked.map(Duration::toSeconds).orElse(doubled);
    return Duration.ofSeconds(Math.clamp(wanted, FIRST_PAUSE_S, MAX_PAUSE_S));
  }

  public UUID targetId() {
    return key.workspaceId();
  }

  /** Returns the claim; throws {@code IllegalStateException} when there is none. */
  public DeliveryClaim heldBy() {
    if (claim == null) {
      throw new IllegalStateException("the message " + id + " waits and has no owner");
    }
    return claim;
  }
}

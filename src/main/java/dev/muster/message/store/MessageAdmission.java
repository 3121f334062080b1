package dev.muster.message.store;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Duration;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * States how a message is delivered and what must hold for that. The append statement checks this,
 * and appends nothing if it does not hold.
 *
 * @param assumed what the sender knows of the target; null if it was read in the same transaction
 */
public record MessageAdmission(Way way, @Nullable Assumed assumed, @Nullable NewDelivery delivery) {

  /** Maximum number of messages in one target's queue (R7.7). Ends of delegations may exceed it. */
  public static final int MAX_QUEUED = 1000;

  /** The way a message reaches its target. */
  public enum Way {
    /** The agent polls and finds the message in its feed. */
    FEED,
    /**
     * The message is sent at once. The agent is {@code online} or {@code degraded} and has a free
     * slot if the message needs one.
     */
    SEND,
    /** The message waits in the target's queue. */
    QUEUE
  }

  /** The versions of the target and of the hierarchy that determined the way. */
  public record Assumed(long targetVersion, long treeVersion) {}

  /** The kind of a delivery; it determines the order and the concurrency. */
  public enum Kind {
    /**
     * A message of the canvas or of an agent. Messages of one sender are delivered one after the
     * other.
     */
    MESSAGE("message"),
    /** A message that delegates a task. Such messages do not wait for each other. */
    DELEGATION("delegation"),
    /** The end of a delegation. Its receiver may be busy only because it waits for this message. */
    RESULT("result");

    private final String wire;

    Kind(String wire) {
      this.wire = wire;
    }

    @JsonValue
    public String wire() {
      return wire;
    }

    /** Parses a stored word. */
    public static Kind of(String wire) {
      return valueOf(wire.toUpperCase(Locale.ROOT));
    }
  }

  /**
   * The delivery that begins with the row.
   *
   * @param needsSlot whether sending at once requires a free slot at the target
   * @param owner the replica that sends the message at once; null if it is queued
   * @param claim the delivery claim of {@code owner}; null if the message is queued
   * @param life how long the message may wait; more than zero
   */
  public record NewDelivery(
      Kind kind,
      boolean needsSlot,
      @Nullable UUID owner,
      @Nullable Long claim,
      int priority,
      Duration life) {

    public NewDelivery {
      if (life.isNegative() || life.isZero()) {
        throw new IllegalArgumentException("life: " + life + " (expected: more than zero)");
      }
    }
  }

  public static MessageAdmission toFeed(@Nullable Assumed assumed) {
    return new MessageAdmission(Way.FEED, assumed, null);
  }

  /** Admits a message to the target's queue. */
  public static MessageAdmission toQueue(
      @Nullable Assumed assumed, Kind kind, int priority, Duration life) {
    return new MessageAdmission(
        Way.QUEUE, assumed, new NewDelivery(kind, false, null, null, priority, life));
  }
}

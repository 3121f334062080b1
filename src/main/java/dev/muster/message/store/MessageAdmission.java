package dev.muster.message.store;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * States how a message is delivered and what must hold for that. The append statement checks this,
 * and appends nothing if it does not hold.
 *
 * @param assumed what the sender knows of the target; null if it was read in the same transaction
 * @param terms stored with the message
 * @param needsSlot whether sending it at once requires a free slot at the target
 * @param claim of the replica that sends it at once; null if it is not sent at once
 */
public record MessageAdmission(
    Way way,
    @Nullable Assumed assumed,
    DeliveryTerms terms,
    boolean needsSlot,
    @Nullable DeliveryClaim claim) {

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
    QUEUE,
    /**
     * The message waits where its target looks when it is stored: {@link #FEED} of an agent that
     * polls, {@link #QUEUE} of any other.
     */
    WAIT
  }

  /** The versions of the target and of the hierarchy that determined the way. */
  public record Assumed(long targetVersion, long treeVersion) {}

  /** The kind of a delivery; it determines the order and the concurrency. */
  public enum Kind {
    /**
     * A message of the canvas or of an agent. Messages of one sender are delivered one after the
     * other.
     */
    MESSAGE("message", 50),
    /** A message that delegates a task. Such messages do not wait for each other. */
    DELEGATION("delegation", 50),
    /** The end of a delegation. Its receiver may be busy only because it waits for this message. */
    RESULT("result", 100);

    private final String wire;
    private final int usualPriority;

    Kind(String wire, int usualPriority) {
      this.wire = wire;
      this.usualPriority = usualPriority;
    }

    @JsonValue
    public String wire() {
      return wire;
    }

    /** Returns the priority of messages for which none is stated. */
    public int usualPriority() {
      return usualPriority;
    }

    /** Parses a stored word. */
    public static Kind of(String wire) {
      return valueOf(wire.toUpperCase(Locale.ROOT));
    }
  }

  /**
   * What holds for the delivery of a message, whenever it begins.
   *
   * @param priority 0 to 100; the highest are delivered first
   * @param life how long the message may wait after it was stored; more than zero
   */
  public record DeliveryTerms(Kind kind, int priority, Duration life) {

    public DeliveryTerms {
      if (life.isNegative() || life.isZero()) {
        throw new IllegalArgumentException("life: " + life + " (expected: more than zero)");
      }
    }

    /** Returns the terms of a message for which none are stated. */
    public static DeliveryTerms usual(Kind kind, Duration life) {
      return new DeliveryTerms(kind, kind.usualPriority, life);
    }
  }

  /** Admits a message whose sender does not wait for a response. */
  public static MessageAdmission waiting(DeliveryTerms terms) {
    return new MessageAdmission(Way.WAIT, null, terms, false, null);
  }
}

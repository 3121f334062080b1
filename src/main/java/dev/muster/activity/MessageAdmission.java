package dev.muster.activity;

import java.time.Duration;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How a message is delivered once its row is in the feed, and what must be true for that: the
 * statement that appends it looks, and appends nothing where it is not.
 *
 * @param assumed what its sender knows of the target; null where that was looked up in the same
 *     transaction
 */
public record MessageAdmission(Way way, @Nullable Assumed assumed, @Nullable NewDelivery delivery) {

  /** More than any target should have waiting (R7.7). */
  public static final int MAX_QUEUED = 1000;

  /** Where the message goes. */
  public enum Way {
    /** Its agent polls, and finds it in the feed. */
    FEED,
    /** It is sent at once: its agent was heard of lately, and has a free slot if it needs one. */
    SEND,
    /** It waits for its agent. */
    QUEUE
  }

  /** The versions of the target and of the hierarchy by which the way was decided. */
  public record Assumed(long targetVersion, long treeVersion) {}

  /** What is carried, and so in which order and how many at once. */
  public enum Kind {
    /** A message of a person or an agent: those of one sender are delivered one after the other. */
    MESSAGE("message"),
    /** A delegation's: none waits for another. */
    DELEGATION("delegation"),
    /** How a delegation ended: its agent may be at work only because it waits for this. */
    RESULT("result");

    private final String wire;

    Kind(String wire) {
      this.wire = wire;
    }

    public String wire() {
      return wire;
    }

    /** Of a stored word. */
    public static Kind of(String wire) {
      return valueOf(wire.toUpperCase(Locale.ROOT));
    }
  }

  /**
   * The delivery that begins with the row.
   *
   * @param needsSlot whether it must find a free slot at the target, to be sent at once
   * @param owner which replica sends it at once, by its claim {@code claim}
   * @param life how long it may wait
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

  /** It waits for its target. */
  public static MessageAdmission toQueue(
      @Nullable Assumed assumed, Kind kind, int priority, Duration life) {
    return new MessageAdmission(
        Way.QUEUE, assumed, new NewDelivery(kind, false, null, null, priority, life));
  }
}

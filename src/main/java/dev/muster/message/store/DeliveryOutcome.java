package dev.muster.message.store;

import dev.muster.message.NewActivity.ActivityResult;
import dev.muster.platform.text.ErrorText;
import dev.muster.platform.text.RawJson;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a delivery, for its sender and for its activity row.
 *
 * @param reply the response to the sender
 * @param response the JSON response of the agent; null without one
 * @param result what the activity row shows; null to leave the row unchanged
 * @param error the error that the queue shows; null without one
 * @param deliveries how often the agent may have got the request in this delivery
 * @param answered whether the agent answered the call; null when it was not called. What a gateway
 *     says for it is no answer
 */
public record DeliveryOutcome(
    ProxyResponse reply,
    OutcomeState state,
    @Nullable RawJson response,
    @Nullable ActivityResult result,
    @Nullable String error,
    int deliveries,
    @Nullable Boolean answered) {

  public DeliveryOutcome {
    error = ErrorText.keptOrNull(error);
  }

  public DeliveryOutcome(
      ProxyResponse reply,
      OutcomeState state,
      @Nullable RawJson response,
      ActivityResult result,
      int deliveries,
      @Nullable Boolean answered) {
    this(reply, state, response, result, result.errorDetail(), deliveries, answered);
  }

  /** Builds an outcome without a response of the agent; the activity row shows {@code why}. */
  public static DeliveryOutcome withoutAnswer(
      ProxyResponse reply, OutcomeState state, String why, int deliveries) {
    return new DeliveryOutcome(
        reply, state, null, new ActivityResult("error", why, null), deliveries, null);
  }

  /** Returns this outcome without the agent's response; the activity row still shows the error. */
  public DeliveryOutcome withoutResponse() {
    return new DeliveryOutcome(reply, state, null, result, error, deliveries, answered);
  }

  /** Returns this outcome without the part that changes the activity row. */
  public DeliveryOutcome withoutTraceOnRow() {
    return new DeliveryOutcome(reply, state, null, null, error, deliveries, answered);
  }

  /**
   * Builds the end of the delivery.
   *
   * @param claim as in {@link Completion}
   * @param end how the message leaves the queue; null if it was not queued
   */
  public Completion completion(
      ActivityKey key, @Nullable DeliveryClaim claim, @Nullable QueueState end) {
    return new Completion(key, claim, end, this);
  }

  /** Returns the text of the reply; null if it equals {@code response}, which is stored anyway. */
  @Nullable String keptReply() {
    return response != null && reply.text().equals(response.text()) ? null : reply.text();
  }

  /** How a delivery ended (R7.3). */
  public enum OutcomeState {
    /** The agent has responded, possibly with an error. */
    ANSWERED,
    /** The agent did not get the message. */
    REFUSED,
    /** It is unknown whether the agent got the message. */
    UNCERTAIN,
    /** The agent polls now and finds the message in its feed. */
    IN_FEED;

    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }

    static OutcomeState of(String wire) {
      return valueOf(wire.toUpperCase(Locale.ROOT));
    }
  }

  /**
   * The end of a delivery, reported by its holder, or by who ends a message that waits.
   *
   * @param claim null for a message that waits, whose row the transaction that ends it has locked
   * @param queueState how the message leaves the queue; null if it was not queued
   */
  public record Completion(
      ActivityKey key,
      @Nullable DeliveryClaim claim,
      @Nullable QueueState queueState,
      DeliveryOutcome outcome) {}
}

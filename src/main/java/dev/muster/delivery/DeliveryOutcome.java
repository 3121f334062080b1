package dev.muster.delivery;

import dev.muster.activity.ActivityKey;
import dev.muster.activity.ActivityResult;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.text.ErrorText;
import org.jspecify.annotations.Nullable;

/**
 * What a delivery has come to: for its sender, and for its row.
 *
 * @param response what the agent answered, if that is JSON
 * @param result what the row shows; null: what it showed before
 * @param error why it failed, as the queue shows it
 * @param deliveries how often the agent may have been given the request, this time
 */
record DeliveryOutcome(
    ProxyResponse reply,
    OutcomeState state,
    @Nullable RawJson response,
    @Nullable ActivityResult result,
    @Nullable String error,
    int deliveries) {

  DeliveryOutcome {
    error = ErrorText.keptOrNull(error);
  }

  DeliveryOutcome(
      ProxyResponse reply,
      OutcomeState state,
      @Nullable RawJson response,
      ActivityResult result,
      int deliveries) {
    this(reply, state, response, result, result.errorDetail(), deliveries);
  }

  /** Without an answer; {@code why} is shown with the row. */
  static DeliveryOutcome withoutAnswer(
      ProxyResponse reply, OutcomeState state, String why, int deliveries) {
    return new DeliveryOutcome(
        reply, state, null, new ActivityResult("error", why, null), deliveries);
  }

  /** For a row that tells of something else. */
  DeliveryOutcome withoutTraceOnRow() {
    return new DeliveryOutcome(reply, state, null, null, error, deliveries);
  }

  /** The end of what is held by the claim; {@code end} is how it left the queue, if it waited. */
  Completion completion(ActivityKey key, DeliveryClaim claim, @Nullable QueueState end) {
    return new Completion(key, claim, end, this);
  }

  /** Null where the reply's body is the response on the row, so that it is not kept twice. */
  @Nullable String keptReply() {
    return response != null && reply.text().equals(response.text()) ? null : reply.text();
  }
}

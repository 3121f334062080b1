package dev.muster.a2a;

import dev.muster.activity.Result;
import dev.muster.platform.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * What a turn has come to: for its sender, for its record, and for its row.
 *
 * @param response what the agent answered, if that is JSON
 * @param deliveries how often the agent may have been given the request
 */
record TurnOutcome(
    Reply reply, MessageState state, @Nullable RawJson response, Result result, int deliveries) {

  /** For a row whose response is something else. */
  TurnOutcome withoutResponse() {
    return new TurnOutcome(reply, state, null, result, deliveries);
  }

  /** Whether the reply's body is the response on the row, so that it need not be kept twice. */
  private boolean isKeptOnRow() {
    return response != null && reply.text().equals(response.text());
  }

  RecordCompanion.Ending ending(
      @Nullable String owner, RecordCompanion.@Nullable QueuedEnding queued) {
    return new RecordCompanion.Ending(
        owner,
        state,
        deliveries,
        reply.status(),
        reply.contentType(),
        isKeptOnRow() ? null : reply.text(),
        queued);
  }
}

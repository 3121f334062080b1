package dev.muster.message.feed;

import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvent.Kind;
import dev.muster.event.SeriesRelay;
import dev.muster.message.store.ActivityKey;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds agents' responses to canvas messages that are not relayed yet. Delivery outcomes have no
 * {@code seq}. So each read starts {@link SeriesRelay#MAX_TRANSACTION} before the newest known
 * outcome and skips the known ones.
 */
final class AnsweredMessageRelay {

  /**
   * An agent's response to a canvas message, for a live event (R10.1). Responses between agents
   * have no event. The response is as lists show it.
   */
  record AnsweredMessage(
      ActivityKey key,
      Instant endedAt,
      @Nullable String method,
      @Nullable String messageId,
      @Nullable Long durationMs,
      @Nullable Object response,
      Instant foundAt) {

    LiveEvent event() {
      UUID workspaceId = key.workspaceId();
      Map<String, @Nullable Object> payload = new LinkedHashMap<>();
      payload.put("response_body", response);
      payload.put("method", method);
      payload.put("duration_ms", durationMs);
      payload.put("message_id", messageId);
      return new LiveEvent(Kind.A2A_RESPONSE, workspaceId, foundAt, payload);
    }
  }

  private final ActivityRelayRepository repository;

  /** The end times of known outcomes, back to the start of the next read. */
  private final Map<ActivityKey, Instant> relayed = new HashMap<>();

  private Instant newest = Instant.EPOCH;

  AnsweredMessageRelay(ActivityRelayRepository repository) {
    this.repository = repository;
  }

  /** Marks the stored responses as relayed, so that only later ones are published. */
  synchronized void begin() {
    relayed.clear();
    newest = repository.now();
    relay(events -> {});
  }

  /**
   * Publishes all responses that are not relayed yet, page by page. A response is marked after its
   * page is published, so the next call repeats what failed.
   */
  synchronized void relay(Consumer<List<LiveEvent>> listener) {
    Instant from = newest.minus(SeriesRelay.MAX_TRANSACTION);
    List<AnsweredMessage> page;
    do {
      page = repository.answeredSince(from);
      List<LiveEvent> events =
          page.stream()
              .filter(answer -> !answer.endedAt().equals(relayed.get(answer.key())))
              .map(AnsweredMessage::event)
              .toList();
      if (!events.isEmpty()) {
        listener.accept(events);
      }
      for (AnsweredMessage answer : page) {
        relayed.put(answer.key(), answer.endedAt());
        from = answer.endedAt();
      }
      newest = from.isAfter(newest) ? from : newest;
    } while (page.size() == ActivityRelayRepository.MAX_ROWS);
    Instant kept = newest.minus(SeriesRelay.MAX_TRANSACTION);
    relayed.values().removeIf(endedAt -> endedAt.isBefore(kept));
  }
}

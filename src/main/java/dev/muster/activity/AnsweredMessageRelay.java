package dev.muster.activity;

import dev.muster.event.LiveEvent;
import dev.muster.event.LiveEvent.Kind;
import dev.muster.event.SeriesRelay;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What was not told yet of agents' answers to people. An outcome has no number; so each look begins
 * a while before the newest that was told, and leaves out what it knows.
 */
final class AnsweredMessageRelay {

  /**
   * What an agent answered to a person, as live events tell of it (R10.1): what agents answer each
   * other is in no chat. The response is as lists show it.
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

  /** By when they were answered, as far back as a look goes. */
  private final Map<ActivityKey, Instant> relayed = new HashMap<>();

  private Instant newest = Instant.EPOCH;

  AnsweredMessageRelay(ActivityRelayRepository repository) {
    this.repository = repository;
  }

  /** Answers that are stored already are not told. */
  synchronized void begin() {
    relayed.clear();
    newest = repository.now();
    newAnswers();
  }

  /** Tells all there is; what cannot be read stays to be told. */
  synchronized void relay(Consumer<List<LiveEvent>> listener) {
    List<LiveEvent> events = newAnswers().stream().map(AnsweredMessage::event).toList();
    if (!events.isEmpty()) {
      listener.accept(events);
    }
  }

  private List<AnsweredMessage> newAnswers() {
    List<AnsweredMessage> found = new ArrayList<>();
    Instant from = newest.minus(SeriesRelay.MAX_TRANSACTION);
    List<AnsweredMessage> page;
    do {
      page = repository.answeredSince(from);
      for (AnsweredMessage answer : page) {
        if (!answer.endedAt().equals(relayed.put(answer.key(), answer.endedAt()))) {
          found.add(answer);
        }
        from = answer.endedAt();
      }
    } while (page.size() == ActivityRelayRepository.MAX_ROWS);
    newest = from.isAfter(newest) ? from : newest;
    Instant kept = newest.minus(SeriesRelay.MAX_TRANSACTION);
    relayed.values().removeIf(endedAt -> endedAt.isBefore(kept));
    return found;
  }
}

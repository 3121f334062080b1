package dev.muster.console.timeline;

import dev.muster.console.timeline.TimelineEntry.EntryCause;
import dev.muster.console.timeline.TimelineEntry.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the causes of entries. A run whose task has the id of a message or of a delegation was
 * caused by it. Without such an id, the cause is a guess: the newest message that the agent had at
 * that time.
 */
final class EntryCauses {

  /** The time for which a message without a known end may be the cause of later entries. */
  private static final Duration UNKNOWN_END = Duration.ofMinutes(10);

  private final List<TimelineEntry> messages;

  /** Takes all entries that were read, including those beyond the page. */
  EntryCauses(List<TimelineEntry> read) {
    messages = read.stream().filter(entry -> entry.kind() == Kind.MESSAGE).toList();
  }

  List<TimelineEntry> of(List<TimelineEntry> entries) {
    return entries.stream().map(entry -> cause(entry).map(entry::causedBy).orElse(entry)).toList();
  }

  private Optional<EntryCause> cause(TimelineEntry entry) {
    if (entry.cause() != null) {
      return Optional.empty();
    }
    return switch (entry.kind()) {
      case RUN -> byName(entry.title()).or(() -> byTime(entry));
      case DELEGATION -> entry.title().startsWith("to ") ? byTime(entry) : Optional.empty();
      case NOTIFICATION, ACTIVITY -> byTime(entry);
      case STATUS, MESSAGE, ANSWER, QUEUE -> Optional.empty();
    };
  }

  private Optional<EntryCause> byName(String task) {
    return messages.stream()
        .filter(message ->
            task.equals(message.refs().delegationId()) || task.equals(message.refs().messageId()))
        .findFirst()
        .map(message -> cause(message, true));
  }

  private Optional<EntryCause> byTime(TimelineEntry entry) {
    return messages.stream()
        .filter(message -> isOpen(message, entry.at()))
        .max(Comparator.comparing(TimelineEntry::at))
        .map(message -> cause(message, false));
  }

  private static boolean isOpen(TimelineEntry message, Instant then) {
    @Nullable Long millis = message.durationMs();
    Instant end = millis == null ? message.at().plus(UNKNOWN_END) : message.at().plusMillis(millis);
    return !message.at().isAfter(then) && !end.isBefore(then);
  }

  private static EntryCause cause(TimelineEntry message, boolean sure) {
    @Nullable String delegation = message.refs().delegationId();
    return delegation == null
        ? new EntryCause(Kind.MESSAGE, message.id(), sure)
        : new EntryCause(Kind.DELEGATION, delegation, sure);
  }
}

package dev.muster.event;

import dev.muster.platform.postgres.AfterCommit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Records events in the caller's transaction and reads them back in order. */
@Service
public class Events {

  private final EventRepository repository;
  private final EventPublisher publisher;

  Events(EventRepository repository, EventPublisher publisher) {
    this.repository = repository;
    this.publisher = publisher;
  }

  /**
   * Records one event in the caller's transaction.
   *
   * <p>The caller must have locked the row that the event describes. The lock gives causes a lower
   * number than their effects.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public void record(NewEvent event) {
    recordAll(List.of(event));
  }

  /** Records events in the given order; see {@link #record}. */
  @Transactional(propagation = Propagation.MANDATORY)
  public void recordAll(List<NewEvent> events) {
    if (events.isEmpty()) {
      return;
    }
    repository.insert(events);
    AfterCommit.run(() -> publisher.recorded());
  }

  /** Throws unless the database answers and has Muster's schema. */
  public void requireReadable() {
    long _ = repository.lastSeq();
  }

  /** Publishes all committed events, then returns events, newest first. */
  public List<RecordedEvent> latest(Optional<UUID> workspaceId, Optional<String> type, int limit) {
    publisher.publishAll();
    return repository.latest(workspaceId, type, limit);
  }

  /**
   * Publishes all committed events, then returns events strictly after {@code seq}, oldest first.
   */
  public List<RecordedEvent> after(
      long seq, Optional<UUID> workspaceId, Optional<String> type, int limit) {
    publisher.publishAll();
    return repository.after(seq, workspaceId, type, limit, EventRepository.MAX_PAGE_BYTES);
  }
}

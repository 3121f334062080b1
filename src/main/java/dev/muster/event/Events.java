package dev.muster.event;

import dev.muster.platform.commit.AfterCommit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Records events in the transaction of what they tell, and reads them back in order. */
@Service
public class Events {

  private final EventRepository repository;
  private final EventPublisher publisher;

  Events(EventRepository repository, EventPublisher publisher) {
    this.repository = repository;
    this.publisher = publisher;
  }

  /** The caller has locked the row that the event tells of, so that causes come before effects. */
  @Transactional(propagation = Propagation.MANDATORY)
  public void record(NewEvent event) {
    recordAll(List.of(event));
  }

  /** Recorded in the order given; see {@link #record}. */
  @Transactional(propagation = Propagation.MANDATORY)
  public void recordAll(List<NewEvent> events) {
    if (events.isEmpty()) {
      return;
    }
    repository.insert(events);
    AfterCommit.run(() -> publisher.recorded());
  }

  /** The newest first; everything committed before the call is in it. */
  public List<RecordedEvent> latest(Optional<UUID> workspaceId, Optional<String> type, int limit) {
    publisher.publishAll();
    return repository.latest(workspaceId, type, limit);
  }

  /**
   * The oldest first, strictly after {@code seq}; everything committed before the call is in it.
   */
  public List<RecordedEvent> after(
      long seq, Optional<UUID> workspaceId, Optional<String> type, int limit) {
    publisher.publishAll();
    return repository.after(seq, workspaceId, type, limit, EventRepository.MAX_PAGE_BYTES);
  }
}

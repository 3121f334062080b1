package dev.muster.delegation;

import dev.muster.event.EventType;
import dev.muster.event.RecordedEvent;
import dev.muster.event.RecordedEventListener;
import dev.muster.identity.CredentialRecheck;
import dev.muster.platform.longpoll.LongPoll;
import dev.muster.platform.longpoll.LongPollRegistry;
import dev.muster.platform.longpoll.PollResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Waits for the ends of delegations (R8.6), of which every replica hears by their recorded events.
 */
@Component
class DelegationWaits implements RecordedEventListener {

  private static final Set<String> ENDS =
      Set.of(EventType.DELEGATION_COMPLETE.name(), EventType.DELEGATION_FAILED.name());

  /** The wait key: all waits for delegations of one caller share it. */
  private record Topic(UUID callerId) {}

  private final LongPollRegistry polls;

  DelegationWaits(LongPollRegistry polls) {
    this.polls = polls;
  }

  @Override
  public void follow(List<RecordedEvent> events) {
    polls.wake(
        events.stream()
            .filter(event -> ENDS.contains(event.eventType()) && event.workspaceId() != null)
            .map(event -> new Topic(event.workspaceId()))
            .distinct()
            .toList());
  }

  /**
   * Done when the delegation has ended, or, as it stands then, when the time is over.
   *
   * @param owner whose wait it is
   * @param read refuses callers who may not, or no longer, read it
   */
  CompletableFuture<DelegationView> await(
      Object owner,
      UUID callerId,
      Duration atMost,
      CredentialRecheck reader,
      Supplier<DelegationView> read) {
    Supplier<PollResult<Optional<DelegationView>>> look =
        () -> {
          DelegationView view = read.get();
          return view.status().isInFlight()
              ? new PollResult.Nothing<>(0)
              : new PollResult.Answer<>(Optional.of(view));
        };
    return polls
        .await(
            new LongPoll<>(
                owner,
                new Topic(callerId),
                atMost,
                look,
                () -> reader.check() != CredentialRecheck.Result.REVOKED,
                Optional.empty()))
        .thenApplyAsync(ended -> ended.orElseGet(read), Thread::startVirtualThread);
  }
}

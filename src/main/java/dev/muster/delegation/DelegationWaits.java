package dev.muster.delegation;

import dev.muster.event.EventLog.RecordedEventListener;
import dev.muster.event.EventType;
import dev.muster.event.RecordedEvent;
import dev.muster.identity.CredentialRecheck;
import dev.muster.platform.http.Owner;
import dev.muster.platform.work.LongPoll;
import dev.muster.platform.work.LongPoll.PollResult;
import dev.muster.platform.work.LongPollRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Holds long polls for the ends of delegations (R8.6). Recorded events bring the ends to every
 * replica.
 */
@Component
class DelegationWaits implements RecordedEventListener {

  private static final Set<String> ENDS =
      Set.of(EventType.DELEGATION_COMPLETE.name(), EventType.DELEGATION_FAILED.name());

  /** The wait key, which all waits for delegations of one caller share. */
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
   * Completes with the delegation at its end, or with its current state at the timeout.
   *
   * @param owner whose share of held requests the wait takes
   * @param read throws if the caller may not, or no longer, read the delegation
   */
  CompletableFuture<DelegationView> await(
      Owner owner,
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

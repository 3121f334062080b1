package dev.muster.message.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.RowId;
import dev.muster.message.queue.TestQueue;
import dev.muster.message.queue.TestQueue.Queued;
import dev.muster.message.store.DeliveryOutcome.Completion;
import dev.muster.message.store.DeliveryOutcome.OutcomeState;
import dev.muster.platform.text.RawJson;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.springframework.transaction.support.TransactionTemplate;

/** A replica that has lost its claim completes nothing, also in one batch with the new owner. */
@Execution(ExecutionMode.CONCURRENT)
class StaleCompletionTest {

  private static final TestServer SERVER = TestServer.shared();

  private final TestQueue queue = TestQueue.of(SERVER);

  @Test
  void completesADeliveryForItsOwnerOnly() {
    Queued queued = queue.put(queue.target(1));
    ActivityKey key = new ActivityKey(queued.targetId(), RowId.seqOf(queued.id()));
    queue.claimByAnotherReplica(queued);
    queue.set(queued, "claim = 2, attempts = 2");
    DeliveryClaim claim = new DeliveryClaim(UUID.fromString(queue.open(queued, "owner")), 2);
    DeliveryOutcome uncertain = uncertain();
    Completion ofAnother = uncertain.completion(key, new DeliveryClaim(UUID.randomUUID(), 2), null);
    Completion earlier = uncertain.completion(key, new DeliveryClaim(claim.owner(), 1), null);
    Completion held = uncertain.completion(key, claim, QueueState.FAILED);

    assertThat(complete(ofAnother, earlier)).isEmpty();
    assertThat(queue.open(queued, "count(*)")).isEqualTo("1");

    Set<Completion> ended = complete(ofAnother, earlier, held);

    assertThat(ended).containsExactly(held);
    assertThat(queue.open(queued, "count(*)")).isEqualTo("0");
  }

  /** The agent has answered by a message of its own, and then closed the connection of the call. */
  @Test
  void keepsAnAnswerThatCameMeanwhile() {
    Agent target = queue.target(1);
    Queued queued = queue.put(target, queue.senderTo(target), 50);
    ActivityKey key = new ActivityKey(queued.targetId(), RowId.seqOf(queued.id()));
    queue.claimByAnotherReplica(queued);
    DeliveryClaim claim = new DeliveryClaim(UUID.fromString(queue.open(queued, "owner")), 1);
    RawJson answer = new RawJson("{\"result\":\"Done.\"}");
    assertThat(SERVER.bean(OutcomeRepository.class).answer(key, answer, Duration.ofSeconds(1)))
        .isTrue();

    Completion late = uncertain().completion(key, claim, QueueState.FAILED);
    Set<Completion> ended = complete(late);

    assertThat(ended).containsExactly(late);
    assertThat(queue.open(queued, "count(*)")).isEqualTo("0");
    assertThat(queue.of(queued, "concat_ws(' ', m.state, l.status, q.state)"))
        .isEqualTo("answered ok delivered");
    assertThat(queue.show(queued).text()).contains("Done.");
  }

  private static DeliveryOutcome uncertain() {
    return DeliveryOutcome.withoutAnswer(
        new ProxyResponse(504, "application/problem+json", new byte[0]),
        OutcomeState.UNCERTAIN,
        "the connection was closed",
        1);
  }

  private static Set<Completion> complete(Completion... completions) {
    return SERVER
        .bean(TransactionTemplate.class)
        .execute(_ -> SERVER.bean(Completions.class).completeAll(List.of(completions)));
  }
}

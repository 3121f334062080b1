package dev.muster.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.activity.ActivityKey;
import dev.muster.activity.RowId;
import dev.muster.delivery.DeliveryOutcome.Completion;
import dev.muster.delivery.TestQueue.Queued;
import dev.muster.testing.TestServer;
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
    DeliveryClaim claim = new DeliveryClaim(UUID.randomUUID(), 2);
    queue.set(
        queued,
        "owner = '%s', claim = %d, claimed_at = clock_timestamp(), attempts = 2"
            .formatted(claim.owner(), claim.number()));
    DeliveryOutcome uncertain =
        SERVER.bean(QueueCompletion.class).uncertain("the connection was closed", 1);
    Completion stale = uncertain.completion(key, new DeliveryClaim(UUID.randomUUID(), 1), null);
    Completion held = uncertain.completion(key, claim, QueueState.FAILED);

    Completions completions = SERVER.bean(Completions.class);
    Set<Completion> ended =
        SERVER
            .bean(TransactionTemplate.class)
            .execute(_ -> completions.completeAll(List.of(stale, held)));

    assertThat(ended).containsExactly(held);
    assertThat(queue.open(queued, "count(*)")).isEqualTo("0");
  }
}

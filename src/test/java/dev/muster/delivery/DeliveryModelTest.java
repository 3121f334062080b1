package dev.muster.delivery;

import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two servers treat messages as {@link DeliveryModel} says, for random requests of senders, agents
 * and operators (R3.2, R7.3 to R7.7, R7.11, R8.3). The full form is {@code DeliveryModelBench}.
 */
@Slow
@Timeout(300)
class DeliveryModelTest {

  private static final ModelRuns.Size SIZE =
      new ModelRuns.Size(1, Rounds.of(600, 2000), 60, 8, Duration.ofSeconds(Rounds.of(40, 120)));

  private static final int MESSAGES = Rounds.of(60, 150);

  @Test
  void hasASerialOrderForConcurrentSenders() throws Exception {
    try (ModelServers servers = new ModelServers(TestDatabases.create());
        ConcurrentDeliveries deliveries = new ConcurrentDeliveries(servers, MESSAGES)) {
      deliveries.run();
    }
  }

  @Test
  void agreesWithTheModel() throws Exception {
    try (ModelServers servers = new ModelServers(TestDatabases.create())) {
      System.out.println(new ModelRuns(servers, SIZE).run());
    }
  }
}

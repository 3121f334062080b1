package dev.muster.message.flow;

import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
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
      new ModelRuns.Size(1, Rounds.of(40, 2000), 60, 8, Duration.ofSeconds(Rounds.of(40, 120)));

  private static final int MESSAGES = Rounds.of(30, 150);

  private static final ModelServers SERVERS = new ModelServers(TestDatabases.create());

  @AfterAll
  static void close() {
    SERVERS.close();
  }

  @Test
  void hasASerialOrderForConcurrentSenders() throws Exception {
    try (ConcurrentDeliveries deliveries = new ConcurrentDeliveries(SERVERS, MESSAGES)) {
      deliveries.run();
    }
  }

  @Test
  void agreesWithTheModel() throws Exception {
    System.out.println(new ModelRuns(SERVERS, SIZE).run());
  }
}

package dev.muster.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.postgres.HotPlans;
import dev.muster.platform.postgres.HotPlans.Scan;
import dev.muster.testing.Slow;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The completion of a delivery finds its row by key, whatever the size of the tables. */
@Slow
@Tag("sql")
class CompletionPlansTest {

  @Test
  void readsNoTableWholeThatIsEmptyNow() {
    try (TestServer server = HotPlans.emptyServer()) {
      requireLookUp(server);
    }
  }

  @Test
  void readsNoTableWholeThatIsLarge() {
    try (TestServer server = HotPlans.largeServer()) {
      requireLookUp(server);
    }
  }

  private static void requireLookUp(TestServer server) {
    assertThat(HotPlans.scans(server, Completions.COMPLETE))
        .containsExactly(new Scan("Index Scan", "deliveries", "deliveries_pkey"));
  }
}

package dev.muster.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.postgres.HotPlans;
import dev.muster.platform.postgres.HotPlans.Scan;
import dev.muster.testing.Slow;
import dev.muster.testing.TestServer;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An append, and the search for a poll's start, find rows by keys, whatever the size of the tables.
 */
@Slow
@Tag("sql")
class AppendPlansTest {

  @Test
  void readsNoTableWholeThatIsEmptyNow() {
    try (TestServer server = HotPlans.emptyServer()) {
      requireLookUps(server);
    }
  }

  @Test
  void readsNoTableWholeThatIsLarge() {
    try (TestServer server = HotPlans.largeServer()) {
      requireLookUps(server);
    }
  }

  private static void requireLookUps(TestServer server) {
    assertThat(HotPlans.scans(server, FeedMarks.MARKS))
        .extracting(Scan::index)
        .containsExactlyInAnyOrder("activity_feeds_pkey", "activity_logs_pkey");
    List<Scan> scans = HotPlans.scans(server, AppendStatement.APPEND);
    assertThat(scans)
        .extracting(Scan::kind)
        .isSubsetOf("Index Scan", "Index Only Scan", "Bitmap Heap Scan");
    assertThat(scans)
        .extracting(Scan::table)
        .contains(
            "activity_feeds", "activity_logs", "deliveries", "workspaces", "workspace_heartbeats");
    assertThat(scans)
        .filteredOn(scan -> scan.table().equals("activity_logs"))
        .extracting(Scan::index)
        .containsOnly("activity_logs_messages");
  }
}

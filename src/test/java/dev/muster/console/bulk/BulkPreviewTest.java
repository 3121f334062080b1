package dev.muster.console.bulk;

import static dev.muster.console.bulk.BulkFleet.preview;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** The preview of a bulk change is what the run then does, of drawn branches and choices. */
@Slow
@Timeout(300)
@Execution(ExecutionMode.SAME_THREAD)
class BulkPreviewTest {

  private static final TestServer SERVER =
      TestServer.start("LIVENESS_SWEEP_INTERVAL_S=86400", "AGENT_URL_ALLOW=loopback");
  private static final TestClient CLIENT = SERVER.client();

  private static final int DRAWS = Rounds.of(12, 300);
  private static final int MOST_WORKSPACES = 60;
  private static final int SAMPLE = 20;
  private static final List<String> STATUSES =
      List.of("online", "online", "online", "degraded", "offline", "awaiting_agent", "paused");

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  /** Inserts a drawn forest of workspaces, some of them removed already; returns their ids. */
  private static List<UUID> draw(Random random) {
    List<UUID> ids = new ArrayList<>();
    StringBuilder rows = new StringBuilder();
    Set<UUID> removed = new HashSet<>();
    int count = 1 + random.nextInt(MOST_WORKSPACES);
    int reach = 1 + random.nextInt(count); // small: long chains; large: wide trees
    for (int n = 0; n < count; n++) {
      UUID id = UUID.randomUUID();
      UUID parent =
          n == 0 || random.nextInt(8) == 0
              ? null
              : ids.get(n - 1 - random.nextInt(Math.min(n, reach)));
      boolean isRemoved = removed.contains(parent) || random.nextInt(20) == 0;
      if (isRemoved) {
        removed.add(id);
      }
      String status = isRemoved ? "removed" : STATUSES.get(random.nextInt(STATUSES.size()));
      rows.append(n == 0 ? "" : ",")
          .append(
              "('%s'::uuid,%s::uuid,'%s','%s')"
                  .formatted(
                      id,
                      parent == null ? "NULL" : "'" + parent + "'",
                      status,
                      random.nextBoolean() ? "push" : "poll"));
      ids.add(id);
    }
    SERVER
        .database()
        .execute(
            """
            CREATE TEMPORARY TABLE drawn AS SELECT * FROM (VALUES %s) AS v (id, parent_id, status, mode);
            INSERT INTO workspaces (id, name, tier, parent_id, runtime, url, delivery_mode, max_concurrent_tasks, x, y,
                created_at, updated_at, removed_at)
            SELECT id, 'drawn', 1, parent_id, 'external', '', mode, 1, 0, 0, now(), now(),
                CASE WHEN status = 'removed' THEN now() END FROM drawn;
            INSERT INTO workspace_heartbeats (workspace_id, status, status_since, last_heartbeat_at)
            SELECT id, status, now(), now() FROM drawn;
            INSERT INTO activity_feeds (workspace_id) SELECT id FROM drawn;
            DROP TABLE drawn
            """
                .formatted(rows));
    return ids;
  }

  private static List<UUID> choose(List<UUID> all, Random random) {
    double share = random.nextInt(5) == 0 ? 1 : random.nextDouble();
    List<UUID> chosen = new ArrayList<>(all);
    chosen.removeIf(_ -> random.nextDouble() > share);
    return chosen.isEmpty() ? all : chosen;
  }

  private static String fields(BulkAction action, List<UUID> ids, boolean isCascade) {
    return "\"action\":\"%s\",\"ids\":[%s],\"cascade\":%s%s"
        .formatted(
            action.wire(),
            ids.stream().map(id -> "\"" + id + "\"").collect(Collectors.joining(",")),
            isCascade,
            action == BulkAction.MESSAGE ? ",\"text\":\"Hello.\"" : "");
  }

  private static Set<String> done(JsonNode run) {
    return CLIENT
        .get(
            "/admin/bulk/" + run.path("bulk_id").asString() + "?outcome=done&limit=1000",
            ADMIN_TOKEN)
        .json()
        .path("items")
        .valueStream()
        .map(item -> item.path("workspace_id").asString())
        .collect(Collectors.toSet());
  }

  @ParameterizedTest
  @EnumSource(BulkAction.class)
  void isWhatTheRunDoes(BulkAction action) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int changed = 0;
    for (int n = 0; n < DRAWS; n++) {
      List<UUID> all = draw(random);
      boolean isCascade = random.nextInt(4) == 0;
      String fields = fields(action, choose(all, random), isCascade);
      JsonNode seen = preview(CLIENT, fields);
      if (seen.path("count").asInt() == 0) {
        continue; // all of them are removed
      }

      JsonNode run = BulkFleet.run(CLIENT, fields);

      String drawn = "draw " + n + " of seed " + seed + ": " + seen + " " + run;
      Set<String> done = done(run);
      changed += done.size();
      assertThat(seen.path("count").asInt()).as(drawn).isEqualTo(run.path("total").asInt());
      assertThat(seen.path("changes").asInt()).as(drawn).isEqualTo(run.path("done").asInt());
      assertThat(skips(seen, action.skipped(action == BulkAction.PAUSE ? "paused" : "online")))
          .as(drawn)
          .isEqualTo(run.path("skipped").asInt());
      assertThat(skips(seen, action.blocked())).as(drawn).isEqualTo(run.path("failed").asInt());
      List<String> sample =
          seen.path("sample").valueStream().map(one -> one.path("id").asString()).toList();
      assertThat(done).as(drawn).containsAll(sample);
      assertThat(sample).as(drawn).hasSize(Math.min(SAMPLE, done.size())).doesNotHaveDuplicates();
    }
    assertThat(changed).as("changed in all draws").isPositive();
  }

  private static int skips(JsonNode preview, @Nullable String reason) {
    return reason == null ? 0 : preview.path("skips").path(reason).asInt(0);
  }

  /** Three batches: the refusal of the lowest goes up through all of them. */
  @Test
  void knowsRefusalsThatGoUpThroughSeveralBatches() {
    Agent top = CLIENT.createOnline("top chained");
    SERVER
        .database()
        .execute(
            """
            CREATE TEMPORARY TABLE chain AS SELECT gen_random_uuid() AS id, n FROM generate_series(1, 2100) AS n;
            INSERT INTO workspaces (id, name, tier, parent_id, runtime, url, delivery_mode, max_concurrent_tasks, x, y,
                created_at, updated_at)
            SELECT c.id, CASE c.n WHEN 2100 THEN 'its end' ELSE 'chained' END, 1, coalesce(p.id, '%s'), 'external', '',
                'poll', 1, 0, 0, now(), now()
            FROM chain c LEFT JOIN chain p ON p.n = c.n - 1;
            INSERT INTO workspace_heartbeats (workspace_id, status, status_since, last_heartbeat_at)
            SELECT id, 'online', now(), now() FROM chain;
            INSERT INTO activity_feeds (workspace_id) SELECT id FROM chain;
            DROP TABLE chain
            """
                .formatted(top.id()));
    CLIENT.createOnline("chained, alone");
    String fields = "\"action\":\"pause\",\"filter\":\"name:chained\"";

    JsonNode seen = preview(CLIENT, fields);

    assertThat(seen.path("count").asInt()).isEqualTo(2101);
    assertThat(seen.path("changes").asInt()).isEqualTo(1);
    assertThat(seen.path("sample").findValuesAsString("name")).containsExactly("chained, alone");
    JsonNode run = BulkFleet.run(CLIENT, fields);
    assertThat(List.of(run.path("done").asInt(), run.path("failed").asInt()))
        .containsExactly(1, 2100);
  }
}

package dev.muster.console.history;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.console.fleet.DecodedFleet;
import dev.muster.message.send.ProxyClient;
import dev.muster.testing.FastPace;
import dev.muster.testing.Race;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** The fleet at any time is what an observer saw at that time, whatever happens to the job. */
@Slow
@Timeout(300)
class StatusHistoryTest {

  /** {@code -Dhistory.draws=10000 -Dhistory.changes=2000} is the long form. */
  private static final int DRAWS = Integer.getInteger("history.draws", 75);

  private static final int CHANGES = Integer.getInteger("history.changes", 60);
  private static final int WRITERS = 4;

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private static final String TRANSITIONS =
      """
      SELECT count(*) FROM events WHERE event_type IN ('WORKSPACE_AWAITING_AGENT', 'WORKSPACE_ONLINE', 'WORKSPACE_DEGRADED',
          'WORKSPACE_OFFLINE', 'WORKSPACE_PAUSED') AND payload ->> 'status' IS DISTINCT FROM payload ->> 'previous_status'
      """;

  private static final String PERIODS =
      "SELECT (SELECT count(*) FROM ended_status_periods WHERE status <> 'removed') + (SELECT"
          + " count(*) FROM open_status_periods)";

  private static final String LASTING = "SELECT count(*) FROM open_status_periods";

  /** For the tests that change what it has stored. */
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = start(TestDatabases.create());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** Two replicas do the work of one, and their connections are cut in the middle of it. */
  @Test
  void fleetAtTEqualsARecordedOracleWhenTheJobIsKilled() throws Exception {
    TestDatabase database = TestDatabases.create();
    try (TestServer one = start(database);
        TestServer other = start(database)) {
      Oracle oracle = new Oracle(one.client());
      AtomicInteger writing = new AtomicInteger(WRITERS);
      List<Integer> done =
          Race.run(
              WRITERS + 3,
              runner -> {
                if (runner < WRITERS) {
                  oracle.change(runner, CHANGES);
                  return writing.decrementAndGet();
                }
                if (runner == WRITERS) {
                  return killUntil(database, writing);
                }
                StatusHistory job = (runner % 2 == 0 ? one : other).bean(StatusHistory.class);
                return followUntil(job, writing);
              });

      assertThat(done.get(WRITERS)).as("jobs killed in a transaction").isGreaterThan(3);
      List<Instant> times = oracle.times();
      awaitHistory(one, times.getLast());
      assertThat(database.value(PERIODS)).isEqualTo(database.value(TRANSITIONS));

      for (Instant time : times) {
        assertThat(fleet(one, time)).as("at %s", time).isEqualTo(oracle.at(time));
      }
      Random random = new Random(7);
      for (int draw = 0; draw < DRAWS; draw++) {
        Instant at = draw(times, random);
        assertThat(fleet(one, at)).as("at %s", at).isEqualTo(oracle.at(at));
      }
      for (int draw = 0; draw < DRAWS / 5; draw++) {
        Instant some = draw(times, random).truncatedTo(ChronoUnit.MILLIS);
        Instant another = draw(times, random).truncatedTo(ChronoUnit.MILLIS);
        Instant from = some.isBefore(another) ? some : another;
        Instant to = some.isBefore(another) ? another : some;
        if (!from.isBefore(times.getFirst())) {
          assertThat(replayed(one, from, to)).isEqualTo(oracle.at(to));
        }
      }
    }
  }

  private static TestServer start(TestDatabase database) {
    return TestServer.startWith(
        database,
        List.of(FastPace.class),
        "LIVENESS_SWEEP_INTERVAL_S=86400",
        "STATUS_HISTORY_DAYS=2");
  }

  private static int killUntil(TestDatabase database, AtomicInteger writing) {
    int killed = 0;
    while (writing.get() > 0) {
      killed +=
          Integer.parseInt(
              database.value(
                  """
                  SELECT count(*) FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
                      AND (query LIKE '%open_status_periods%' OR query LIKE '%ended_status_periods%' OR query LIKE '%history_head%')
                      AND pid <> pg_backend_pid() AND xact_start IS NOT NULL) AS cut
                  """));
      LockSupport.parkNanos(Duration.ofMillis(3).toNanos());
    }
    return killed;
  }

  private static int followUntil(StatusHistory job, AtomicInteger writing) {
    int runs = 0;
    while (writing.get() > 0) {
      try {
        job.follow();
        runs++;
      } catch (RuntimeException cut) {
        LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
      }
    }
    return runs;
  }

  @Test
  void isMadeOfTheEventsThatAreKeptAndOfTheStatusesWhereThereAreNone() {
    TestClient client = server.client();
    Agent oldest = client.create("has the oldest event that is kept");
    Agent quiet = client.createOnline("quiet");
    Agent seen = client.createOnline("seen");
    client.heartbeat(seen, "\"runtime_state\":\"wedged\"", "\"sample_error\":\"first words\"");
    client.post("/workspaces/" + seen.id() + "/pause", ADMIN_TOKEN, "");
    awaitHistory(server, Instant.now().minusSeconds(20));
    server
        .database()
        .execute(
            """
            DELETE FROM events WHERE workspace_id NOT IN ('%1$s', '%2$s')
                OR (workspace_id = '%2$s' AND payload ->> 'status' IN ('awaiting_agent', 'online'));
            TRUNCATE history_head, open_status_periods, ended_status_periods
            """
                .formatted(oldest.id(), seen.id()));

    server.bean(StatusHistory.class).follow();

    assertThat(periods(server, quiet)).containsExactly("online");
    assertThat(periods(server, seen)).containsExactly("online", "degraded first words", "paused");
    assertThat(server.database().value("SELECT count(*) FROM ended_status_periods")).isEqualTo("2");
  }

  /** Events that were deleted before they were read leave a gap in the numbers. */
  @Test
  void isMadeAnewWhenEventsWereDeletedBeforeTheyWereRead() {
    TestClient client = server.client();
    Agent agent = client.createOnline("agent");
    awaitStays(server, agent, "awaiting_agent", "online");
    server
        .database()
        .execute(
            """
            DELETE FROM events WHERE seq < (SELECT last_seq FROM event_head);
            UPDATE history_head SET last_seq = last_seq - 2
            """);
    client.post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, "");

    awaitStays(server, agent, "online", "paused");
  }

  /** A restored backup and a failover leave out numbers; no event was deleted. */
  @Test
  void goesOnWhereNumbersWereNeverGiven() {
    TestClient client = server.client();
    Agent agent = client.createOnline("agent");
    awaitStays(server, agent, "awaiting_agent", "online");
    server
        .database()
        .execute(
            """
            UPDATE history_head SET began_at = '2020-01-01';
            UPDATE event_head SET last_seq = last_seq + 1000
            """);

    client.post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, "");

    awaitStays(server, agent, "awaiting_agent", "online", "paused");
    Awaitility.await()
        .until(() ->
            server
                .database()
                .value(
                    "SELECT h.last_seq = e.last_seq AND h.began_at = '2020-01-01' FROM history_head"
                        + " h, event_head e")
                .equals("t"));
  }

  /** After a stop that was longer than events are kept, none of those it missed is left. */
  @Test
  void isMadeAnewFromTheStatusesWhenNoEventIsLeft() {
    Agent agent = server.client().createOnline("agent");
    awaitStays(server, agent, "awaiting_agent", "online");
    server
        .database()
        .execute("DELETE FROM events; UPDATE history_head SET last_seq = last_seq - 1");

    awaitStays(server, agent, "online");
  }

  @Test
  void countsTheFleetOfEachMinute() {
    Agent agent = server.client().createOnline("agent");
    awaitStays(server, agent, "awaiting_agent", "online");
    server
        .database()
        .execute(
            """
            DELETE FROM ended_status_periods;
            DELETE FROM fleet_minutes;
            UPDATE open_status_periods SET since = now() - interval '3 hours';
            UPDATE history_head SET began_at = began_at - interval '3 hours', minutes_to = date_bin('1 minute', now(), 'epoch') - interval '120 minutes';
            INSERT INTO ended_status_periods (workspace_id, since, seq, until, status) VALUES
                (gen_random_uuid(), now() - interval '3 hours', 1, now() - interval '100 minutes', 'online'),
                (gen_random_uuid(), now() - interval '110 minutes', 2, now() - interval '50 minutes', 'degraded'),
                (gen_random_uuid(), now() - interval '40 minutes', 3, now() - interval '40 minutes', 'offline'),
                (gen_random_uuid(), now() - interval '10.5 minutes', 4, now() - interval '10 minutes', 'hibernated')
            """);

    server.bean(StatusHistory.class).follow();

    JsonNode minutes =
        server
            .client()
            .get(
                "/console/fleet/minutes?from=" + Instant.now().minus(Duration.ofHours(3)),
                ADMIN_TOKEN)
            .json();
    assertThat(minutes.path("step_s").asInt()).isEqualTo(60);
    for (int i = 0; i < minutes.path("at").size(); i++) {
      Instant minute = Instant.ofEpochSecond(minutes.path("at").get(i).asLong());
      for (String status : List.of("awaiting_agent", "online", "degraded", "offline", "other")) {
        String counted =
            server
                .database()
                .value(
                    """
                    SELECT count(*) FROM (
                        SELECT status FROM ended_status_periods WHERE since <= '%1$s' AND until > '%1$s'
                        UNION ALL SELECT status FROM open_status_periods WHERE since <= '%1$s') AS all_of_them
                    WHERE CASE WHEN status = 'hibernated' THEN 'other' ELSE status END = '%2$s'
                    """
                        .formatted(minute, status));
        assertThat(minutes.path("status").path(status).get(i).asString())
            .as("%s at %s", status, minute)
            .isEqualTo(counted);
      }
    }
    assertThat(minutes.path("at").size()).isBetween(115, 121);
    assertThat(sum(minutes.path("transitions"))).isEqualTo(2);
    assertThat(minutes.path("status").path("degraded").valueStream().mapToInt(JsonNode::asInt))
        .contains(1);
    JsonNode points = server.client().get("/console/fleet/minutes?step=30", ADMIN_TOKEN).json();
    for (int i = 0; i < points.path("at").size(); i++) {
      String stored =
          server
              .database()
              .value(
                  "SELECT min(online) || ' ' || max(degraded) FROM fleet_minutes WHERE date_bin('%s s', minute, to_timestamp(%s)) = to_timestamp(%2$s)"
                      .formatted(points.path("step_s"), points.path("at").get(i)));
      assertThat(
              points.at("/status/online").get(i).asString()
                  + " "
                  + points.at("/status/degraded").get(i).asString())
          .isEqualTo(stored);
    }
    assertThat(points.at("/status/degraded").valueStream().mapToInt(JsonNode::asInt).max())
        .hasValue(1);
  }

  @Test
  void takesARangeThatEndsBeforeItsBeginForAnEmptyOne() {
    Instant now = Instant.now();
    Instant before = now.minusSeconds(60);
    JsonNode minutes = minutes("?from=" + now + "&to=" + before);
    assertThat(minutes.path("at").isEmpty()).isTrue();
    assertThat(Instant.parse(minutes.path("from").asString()))
        .isBeforeOrEqualTo(Instant.parse(minutes.path("to").asString()));
    for (String range :
        List.of("changes?from=" + now + "&to=" + before, "at?t=" + now + "&until=" + before)) {
      assertThat(server.client().get("/console/fleet/" + range, ADMIN_TOKEN).status())
          .as(range)
          .isEqualTo(200);
    }
  }

  @Test
  void makesStepsLongerThatWouldBeTooMany() {
    assertThat(minutes("?step=7").path("step_s").asInt()).isEqualTo(420);
    assertThat(
            minutes("?step=1&from=2026-01-01T00:00:00Z&to=2026-01-21T00:00:00Z")
                .path("step_s")
                .asInt())
        .isEqualTo(600);
  }

  private JsonNode minutes(String query) {
    return server.client().get("/console/fleet/minutes" + query, ADMIN_TOKEN).json();
  }

  /**
   * A minute is measured when it is stored alone, so this tries again if another ends meanwhile.
   */
  @Test
  void measuresWhatOnlyTheEndOfAMinuteKnows() {
    TestClient client = server.client();
    Agent heard = client.createOnline("heard");
    Agent push =
        client.create("push", "\"delivery_mode\":\"push\"", "\"parent_id\":\"" + heard.id() + "\"");
    String message = ProxyClient.message("m-1", "hi");
    assertThat(client.post("/workspaces/" + push.id() + "/a2a", ADMIN_TOKEN, message).status())
        .isEqualTo(202);
    assertThat(
            client
                .post(
                    "/workspaces/" + heard.id() + "/delegations/record",
                    heard.token(),
                    "{\"target_id\":\"%s\",\"task\":\"Do it.\",\"delegation_id\":\"measured\"}"
                        .formatted(push.id()))
                .status())
        .isEqualTo(202);
    awaitHistory(server, Instant.now());

    await()
        .untilAsserted(() -> {
          server.bean(StatusHistory.class).follow();
          server
              .database()
              .execute(
                  """
                  DELETE FROM fleet_minutes WHERE minute >= (SELECT minutes_to FROM history_head);
                  UPDATE workspace_heartbeats SET last_heartbeat_at = (SELECT minutes_to FROM history_head)
                      - CASE WHEN workspace_id = '%s' THEN interval '59 s' ELSE interval '60 s' END;
                  UPDATE history_head SET minutes_to = minutes_to - interval '1 minute', minute_seq = last_seq - 7
                  """
                      .formatted(heard.id()));
          server.bean(StatusHistory.class).follow();
          assertThat(
                  server
                      .database()
                      .value(
                          "SELECT concat_ws(' ', events, heartbeats, queued, in_flight) FROM"
                              + " fleet_minutes ORDER BY minute DESC LIMIT 1"))
              .isEqualTo("7 1 1 1");
        });
  }

  private static int sum(JsonNode numbers) {
    return numbers.valueStream().mapToInt(JsonNode::asInt).sum();
  }

  @Test
  void deletesWhatEndedBeforeTheSettingAndNothingThatLasts() {
    Agent agent = server.client().createOnline("agent");
    awaitStays(server, agent, "awaiting_agent", "online");
    server
        .database()
        .execute(
            """
            UPDATE history_head SET began_at = now() - interval '9 days',
                minutes_to = date_bin('1 minute', now(), 'epoch') + interval '1 hour';
            DELETE FROM fleet_minutes;
            DELETE FROM ended_status_periods WHERE workspace_id <> '%s';
            UPDATE open_status_periods SET since = now() - interval '9 days';
            INSERT INTO ended_status_periods (workspace_id, since, seq, until, status)
            SELECT gen_random_uuid(), now() - interval '9 days', 1, now() - interval '2 days 1 minute', 'online'
            FROM generate_series(1, 2500);
            INSERT INTO ended_status_periods (workspace_id, since, seq, until, status)
            VALUES (gen_random_uuid(), now() - interval '9 days', 1, now() - interval '47 hours', 'degraded');
            INSERT INTO fleet_minutes SELECT now() - n * interval '1 day', 0, 0, 0, 0, 0, 0, 0, 0 FROM generate_series(1, 9) n
            """
                .formatted(agent.id()));
    String lasting = server.database().value(LASTING);

    server.bean(StatusHistory.class).sweep();

    assertThat(server.database().value(LASTING)).isEqualTo(lasting).isNotEqualTo("0");
    assertThat(
            server
                .database()
                .value("SELECT string_agg(status, ' ' ORDER BY since) FROM ended_status_periods"))
        .isEqualTo("degraded awaiting_agent");
    assertThat(server.database().value("SELECT count(*) FROM fleet_minutes")).isEqualTo("1");
    var gone =
        server
            .client()
            .get("/console/fleet/at?t=" + Instant.now().minus(Duration.ofHours(49)), ADMIN_TOKEN);
    assertThat(gone.status()).isEqualTo(410);
    assertThat(gone.field("code")).isEqualTo("HISTORY_GONE");
    assertThat(Instant.parse(gone.field("oldest")))
        .isBetween(
            Instant.now().minus(Duration.ofHours(49)), Instant.now().minus(Duration.ofHours(47)));
  }

  /** A time between two changes, or exactly that of one, or a microsecond before it. */
  private static Instant draw(List<Instant> times, Random random) {
    int place = random.nextInt(times.size() - 1);
    Instant time = times.get(place);
    return switch (random.nextInt(4)) {
      case 0 -> time;
      case 1 -> time.plus(1, ChronoUnit.MICROS);
      default ->
          time.plusNanos(
              random.nextLong(1 + Duration.between(time, times.get(place + 1)).toNanos())
                  / 1000
                  * 1000);
    };
  }

  private static Map<UUID, String> fleet(TestServer server, Instant at) {
    return states(DecodedFleet.of(bytes(server, "/console/fleet/at?t=" + at)));
  }

  private static Map<UUID, String> states(DecodedFleet fleet) {
    Map<UUID, String> states = new TreeMap<>();
    for (DecodedFleet.Row row : fleet.rows()) {
      if (!row.status().equals("null")) {
        states.put(row.id(), Oracle.text(row.status(), row.reason(), row.since()));
      }
    }
    return states;
  }

  /** The fleet at {@code from}, with the changes until {@code to}, each from the status before. */
  private static Map<UUID, String> replayed(TestServer server, Instant from, Instant to) {
    DecodedFleet base =
        DecodedFleet.of(bytes(server, "/console/fleet/at?t=" + from + "&until=" + to));
    Map<UUID, String> states = states(base);
    List<UUID> known = base.rows().stream().map(DecodedFleet.Row::id).toList();
    DecodedChanges changes =
        DecodedChanges.of(bytes(server, "/console/fleet/changes?from=" + from + "&to=" + to));
    assertThat(changes.to()).isEqualTo(to);
    for (DecodedChanges.Change change : changes.changes()) {
      assertThat(known).contains(change.id());
      String before = states.get(change.id());
      assertThat(before == null ? null : before.replaceFirst(" .*", "")).isEqualTo(change.was());
      if (change.now().equals("removed")) {
        states.remove(change.id());
      } else {
        // rounded up to a millisecond, it may be in the next second
        states.put(
            change.id(), Oracle.text(change.now(), change.reason(), change.at().minusMillis(1)));
      }
    }
    return states;
  }

  private static byte[] bytes(TestServer server, String path) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.client().baseUrl() + path))
            .header("Authorization", "Bearer " + ADMIN_TOKEN)
            .timeout(Duration.ofSeconds(30))
            .build();
    try {
      HttpResponse<byte[]> response = HTTP.send(request, HttpResponse.BodyHandlers.ofByteArray());
      assertThat(response.statusCode()).isEqualTo(200);
      return response.body();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void awaitHistory(TestServer server, Instant time) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() ->
            server
                .database()
                .value(
                    """
                    SELECT coalesce(bool_and(up_to > '%s' AND last_seq = (SELECT last_seq FROM event_head)), false)
                        AND NOT EXISTS (SELECT FROM events WHERE seq IS NULL)
                    FROM history_head
                    """
                        .formatted(time))
                .equals("t"));
  }

  private static void awaitStays(TestServer server, Agent agent, String... statuses) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(periods(server, agent)).containsExactly(statuses));
  }

  private static List<String> periods(TestServer server, Agent agent) {
    return server
        .client()
        .get("/console/history/" + agent.id(), agent.token())
        .json()
        .valueStream()
        .map(period ->
            (period.path("status").asString() + " " + period.path("error").asString("")).strip())
        .toList();
  }
}

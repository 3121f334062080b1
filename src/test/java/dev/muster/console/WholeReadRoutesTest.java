package dev.muster.console;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.http.Owner;
import dev.muster.platform.http.WholeReads;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Which requests are whole reads, and what they leave to others (R1.11). */
@Slow
@Timeout(60)
class WholeReadRoutesTest {

  /** So many whole reads run at a time on a server with the connections of a test, one of each. */
  private static final int AT_ONCE = 2;

  private static final int ROWS = 5_001;

  /** Their lists do not grow with what is stored: a message's own files, replicas of an hour. */
  private static final Set<String> OF_FEW =
      Set.of("/workspaces/{id}/activity/{activityId}", "/admin/operations");

  private static final TestServer SERVER = TestServer.start();
  private static final TestClient CLIENT = SERVER.client();

  private final Agent agent = CLIENT.createOnline("Innocent");

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  /** Each is asked anew, so that none is answered from memory. */
  private List<String> wholeReads() {
    String now = Instant.now().toString();
    String feed = "/workspaces/" + agent.id() + "/activity?source=agent";
    return List.of(
        "/workspaces",
        "/workspaces?limit=5&q=nothing",
        "/registry/" + agent.id() + "/peers",
        "/console/fleet",
        "/console/summary",
        "/console/summary?q=status:offline",
        "/console/fleet/at?t=" + now,
        "/console/fleet/changes?from=" + now + "&to=" + now,
        "/console/fleet/minutes",
        "/admin/a2a-queue",
        "/admin/a2a-queue?state=expired",
        "/admin/a2a-queue/summary",
        "/admin/delegations/stats",
        "/admin/delegations/graph",
        "/admin/tokens",
        "/console/links",
        "/console/sessions",
        feed,
        feed + "&wait=30");
  }

  @Test
  void waitForAPlaceAndAreRefusedWithoutOneWhileHeartbeatsGoOn() throws Exception {
    appendRows();
    SERVER.awaitHistory();
    CountDownLatch end = new CountDownLatch(1);
    List<Thread> readers = hold(end);
    Map<String, CompletableFuture<Answer>> answers = new LinkedHashMap<>();
    for (String path : wholeReads()) {
      answers.put(path, later(() -> CLIENT.get(path, ADMIN_TOKEN)));
    }
    String bulk = "{\"action\":\"pause\",\"filter\":\"status:online\"}";
    answers.put("preview", later(() -> CLIENT.post("/admin/bulk?dry_run=true", ADMIN_TOKEN, bulk)));

    assertThat(CLIENT.heartbeatOnce(agent).status()).isEqualTo(200);
    String own = "/workspaces/" + agent.id();
    for (String path :
        List.of(own, own + "/activity", own + "/delegations", "/console/rows?ids=")) {
      assertThat(CLIENT.get(path, ADMIN_TOKEN).status()).as(path).isEqualTo(200);
    }
    answers.forEach((path, answer) -> {
      assertThat(answer.join().status()).as(path + ": " + answer.join().text()).isEqualTo(503);
      assertRefused(answer.join(), 503, "UNAVAILABLE");
      assertThat(answer.join().header("Retry-After")).as(path).isEqualTo("2");
    });

    end.countDown();
    for (Thread reader : readers) {
      reader.join();
    }
    for (String path : wholeReads()) {
      if (!path.contains("wait=")) {
        Answer answer = CLIENT.get(path, ADMIN_TOKEN);
        assertThat(answer.status()).as(path + ": " + answer.text()).isEqualTo(200);
      }
    }
    assertThat(CLIENT.post("/admin/bulk?dry_run=true", ADMIN_TOKEN, bulk).status()).isEqualTo(200);
  }

  /** Each of these reads waits for a lock in the database, as it might for a slow disk. */
  @Test
  void leaveConnectionsToHeartbeats() throws Exception {
    List<String> people = new ArrayList<>(List.of(ADMIN_TOKEN));
    for (int i = 0; i < 3; i++) {
      String body = "{\"name\":\"person %d\",\"role\":\"operator\"}".formatted(i);
      people.add(CLIENT.post("/admin/tokens", ADMIN_TOKEN, body).field("auth_token"));
    }
    List<CompletableFuture<Answer>> reads = new ArrayList<>();
    try (Connection lock = SERVER.database().connect()) {
      lock.setAutoCommit(false);
      lock.createStatement().execute("LOCK TABLE fleet_minutes");
      for (int i = 0; i < 40; i++) {
        String person = people.get(i % people.size());
        String from =
            Instant.now().minusSeconds(3600 + 60 * i).toString(); // the same read is done once
        reads.add(later(() -> CLIENT.get("/console/fleet/minutes?from=" + from, person)));
      }
      Awaitility.await().until(() -> SERVER.database().lockWaits("date_bin") == AT_ONCE);
      for (int i = 0; i < 20; i++) {
        assertThat(CLIENT.heartbeatOnce(agent).status()).isEqualTo(200);
      }
      assertThat(SERVER.database().lockWaits("date_bin")).isEqualTo(AT_ONCE);
    }
    assertThat(reads).allSatisfy(read -> assertThat(read.join().status()).isIn(200, 429, 503));
  }

  /**
   * Also those of later features: an answer with a list has a parameter {@code limit} or says how
   * many it has at most, or it is a whole read.
   */
  @Test
  void areAllRequestsWhoseAnswersGrowWithWhatIsStored() {
    JsonNode description = CLIENT.get("/v3/api-docs", null).json();
    Set<String> growing = new TreeSet<>();
    for (var path : description.path("paths").properties()) {
      JsonNode read = path.getValue().path("get");
      boolean hasLimit =
          read.path("parameters")
              .valueStream()
              .map(one -> resolved(description, one))
              .anyMatch(one -> one.path("name").asString().equals("limit"));
      JsonNode schema = read.at("/responses/200/content/application~1json/schema");
      if (!hasLimit && hasOpenList(description, resolved(description, schema))) {
        growing.add(path.getKey());
      }
    }
    growing.removeAll(OF_FEW);

    assertThat(growing).hasSizeGreaterThan(4);
    assertThat(wholeReads().stream().map(path -> path.replaceAll("[?].*", "")))
        .containsAll(growing);
  }

  private static boolean hasOpenList(JsonNode description, JsonNode schema) {
    if (schema.path("type").asString("").equals("array")) {
      return !schema.has("maxItems");
    }
    return schema
        .path("properties")
        .valueStream()
        .map(one -> resolved(description, one))
        .anyMatch(one -> one.path("type").asString("").equals("array") && !one.has("maxItems"));
  }

  private static JsonNode resolved(JsonNode description, JsonNode one) {
    return one.has("$ref") ? description.at(one.path("$ref").asString().substring(1)) : one;
  }

  private void appendRows() {
    SERVER
        .database()
        .execute(
            """
            INSERT INTO activity_feeds (workspace_id, last_seq, last_created_at) VALUES ('%1$s', 0, now())
            ON CONFLICT DO NOTHING;
            INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, method, status, message_text,
                listed_bytes, created_at, feed_bytes)
            SELECT '%1$s', n, 'L', 'agent_log', 'self', 'log', 'ok', 'text', 100, now(), 0
            FROM generate_series(1, %2$d) AS n;
            UPDATE activity_feeds SET last_seq = %2$d WHERE workspace_id = '%1$s'
            """
                .formatted(agent.id(), ROWS));
  }

  /** Takes all places, each for another owner. */
  private static List<Thread> hold(CountDownLatch end) throws InterruptedException {
    WholeReads reads = SERVER.bean(WholeReads.class);
    CountDownLatch began = new CountDownLatch(AT_ONCE);
    List<Thread> readers = new ArrayList<>();
    for (int n = 0; n < AT_ONCE; n++) {
      Owner owner = new Owner.OfWorkspace(new UUID(0, n));
      readers.add(
          Thread.startVirtualThread(() ->
              reads.run(
                  owner,
                  () -> {
                    began.countDown();
                    return isOver(end);
                  })));
    }
    began.await();
    return readers;
  }

  private static boolean isOver(CountDownLatch end) {
    try {
      end.await();
      return true;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static CompletableFuture<Answer> later(Supplier<Answer> request) {
    return CompletableFuture.supplyAsync(request, Thread::startVirtualThread);
  }
}

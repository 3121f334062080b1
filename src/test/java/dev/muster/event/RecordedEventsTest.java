package dev.muster.event;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.work.BackgroundLoops;
import dev.muster.platform.work.BackgroundLoops.LoopState;
import dev.muster.testing.Race;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * Every change has one recorded event, and readers get them in order without a gap (R10.1, R10.2).
 */
class RecordedEventsTest {

  private static final TestServer SERVER = TestServer.startWithoutSweeps("REGISTRATION=open");
  private static final TestClient CLIENT = SERVER.client();

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @Test
  void recordEveryChangeOnceInOrder() {
    Agent agent = CLIENT.create("Story");
    String path = "/workspaces/" + agent.id();
    register(agent, "{}");
    CLIENT.heartbeat(agent);
    CLIENT.patch(path, agent.token(), "{\"name\":\"Retold\",\"x\":5}");
    updateCard(agent, "{\"v\":1}");
    CLIENT.heartbeat(agent, "\"agent_card\":{\"v\":2}");
    CLIENT.heartbeat(agent, "\"runtime_state\":\"wedged\"");
    CLIENT.heartbeat(agent, "\"runtime_state\":\"wedged\"");
    CLIENT.heartbeat(agent);
    CLIENT.post(path + "/pause", ADMIN_TOKEN, "");
    CLIENT.post(path + "/resume", ADMIN_TOKEN, "");
    CLIENT.heartbeat(agent);
    CLIENT.delete(path, ADMIN_TOKEN);

    assertThat(recorded(agent))
        .containsExactly(
            "WORKSPACE_AWAITING_AGENT null>awaiting_agent",
            "WORKSPACE_ONLINE awaiting_agent>online",
            "WORKSPACE_UPDATED",
            "AGENT_CARD_UPDATED",
            "AGENT_CARD_UPDATED",
            "WORKSPACE_DEGRADED online>degraded",
            "WORKSPACE_ONLINE degraded>online",
            "WORKSPACE_PAUSED online>paused",
            "WORKSPACE_AWAITING_AGENT paused>awaiting_agent",
            "WORKSPACE_ONLINE awaiting_agent>online",
            "WORKSPACE_REMOVED online>removed");
  }

  /** A listener looks once, so it must find what it is called for. */
  @Test
  void areReadableWhenListenersAreCalled() {
    EventLog log = SERVER.bean(EventLog.class);
    BlockingQueue<Long> heads = new LinkedBlockingQueue<>();
    long before;
    // catchUp holds this lock while it calls listeners, so the first call is for a later event
    synchronized (log) {
      before = log.head();
      log.onNewEvents(() -> heads.add(log.head()));
    }

    CLIENT.create("Listened to");

    Awaitility.await().until(() -> !heads.isEmpty());
    assertThat(heads.peek()).isGreaterThan(before);
  }

  /** No event gets its number while another transaction holds the last one. */
  @Test
  void keepTheirOrderWhenManyGetTheirNumbersAtOnce() throws SQLException {
    Agent agent = CLIENT.create("0");
    List<String> expected = IntStream.rangeClosed(1, 20).mapToObj(String::valueOf).toList();
    try (Connection holder = SERVER.database().connect()) {
      holder.setAutoCommit(false);
      holder.createStatement().execute("SELECT FROM event_head FOR UPDATE");
      for (String name : expected) {
        CLIENT.patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{\"name\":\"" + name + "\"}");
      }
      holder.rollback();
    }

    Awaitility.await()
        .untilAsserted(() ->
            assertThat(
                    CLIENT
                        .get("/events/" + agent.id() + "?type=WORKSPACE_UPDATED", ADMIN_TOKEN)
                        .json())
                .extracting(event -> event.path("payload").path("name").asString())
                .isEqualTo(expected.reversed()));
  }

  /**
   * The publisher looks at all events several times before it is committed. The history of statuses
   * waits meanwhile, since it has all events numbered before it reads.
   */
  @Test
  void areNumberedAsTheyAreCommittedHoweverLongATransactionTakes() throws SQLException {
    UUID late = UUID.randomUUID();
    String unpublished = "SELECT count(*) FROM events WHERE seq IS NULL";
    try (Connection history = SERVER.database().connect();
        Connection slow = SERVER.database().connect()) {
      history.setAutoCommit(false);
      history.createStatement().execute("LOCK TABLE history_head");
      slow.setAutoCommit(false);
      slow.createStatement()
          .execute(
              "INSERT INTO events (id, event_type, payload, created_at) VALUES ('%s', 'TEST', '{}', now())"
                  .formatted(late));
      CLIENT.create("Recorded meanwhile");
      awaitLooks(5);
      slow.commit();
      CLIENT.create("Recorded after it");
      Awaitility.await().until(() -> SERVER.database().value(unpublished), "0"::equals);
    }

    assertThat(
            SERVER
                .database()
                .value(
                    "SELECT (SELECT max(seq) FROM events) - seq FROM events WHERE id = '%s'"
                        .formatted(late)))
        .isEqualTo("1");
  }

  private static void awaitLooks(int count) {
    long before = looks();
    Awaitility.await().until(() -> looks() >= before + count);
  }

  private static long looks() {
    return SERVER.bean(BackgroundLoops.class).states().stream()
        .filter(loop -> loop.name().equals("event-publisher"))
        .mapToLong(LoopState::runs)
        .sum();
  }

  @Test
  void recordNoRefusedChange() {
    Agent agent = CLIENT.createOnline("Quiet");
    Agent other = CLIENT.create("Other");
    String path = "/workspaces/" + agent.id();
    List<String> before = recorded(agent);

    CLIENT.patch(path, other.token(), "{\"name\":\"a\"}");
    CLIENT.patch(path, agent.token(), "{\"name\":\"a\",\"tier\":1}");
    CLIENT.patch(path, ADMIN_TOKEN, "{\"name\":\"a\",\"parent_id\":\"" + agent.id() + "\"}");
    CLIENT.patch(path, ADMIN_TOKEN, "{\"name\":\"a\",\"tier\":\"x\"}");
    CLIENT.post("/workspaces", ADMIN_TOKEN, "{\"name\":\"a\",\"id\":\"" + agent.id() + "\"}");
    CLIENT.post(path + "/resume", ADMIN_TOKEN, "");
    CLIENT.post(path + "/pause", other.token(), "");
    CLIENT.delete(path, agent.token());
    CLIENT.delete(path, ADMIN_TOKEN, "X-Confirm-Name", "other");
    CLIENT.heartbeat(new Agent(agent.id(), other.token()), "\"runtime_state\":\"wedged\"");
    CLIENT.heartbeat(agent, "\"runtime_state\":\"wedged\"", "\"error_rate\":\"x\"");
    CLIENT.post(
        "/registry/register", null, "{\"id\":\"" + agent.id() + "\",\"agent_card\":{\"a\":1}}");
    CLIENT.post(
        "/registry/update-card",
        other.token(),
        "{\"workspace_id\":\"" + agent.id() + "\",\"agent_card\":{\"a\":1}}");

    assertThat(recorded(agent)).isEqualTo(before);
  }

  @Test
  void areRowsWithAFixedShape() {
    Agent agent = CLIENT.create("Shape");

    JsonNode event = CLIENT.get("/events/" + agent.id(), ADMIN_TOKEN).json().path(0);

    assertThat(event.propertyNames())
        .containsExactlyInAnyOrder(
            "id", "seq", "event_type", "workspace_id", "payload", "created_at");
    assertThat(UUID.fromString(event.path("id").asString())).isNotNull();
    assertThat(event.path("seq").asLong()).isPositive();
    assertThat(event.path("workspace_id").asString()).isEqualTo(agent.id().toString());
    assertThat(event.path("payload").isObject()).isTrue();
  }

  @Test
  void areFilteredByWorkspaceAndType() {
    Agent one = CLIENT.createOnline("One");
    Agent other = CLIENT.createOnline("Other");
    long start = seqs(CLIENT.get("/events/" + one.id(), ADMIN_TOKEN)).getLast() - 1;

    assertThat(seqs(CLIENT.get("/events/" + one.id(), ADMIN_TOKEN))).hasSize(2);
    assertThat(seqs(CLIENT.get("/events/" + one.id() + "?type=WORKSPACE_ONLINE", ADMIN_TOKEN)))
        .hasSize(1);
    assertThat(CLIENT.get("/events?type=WORKSPACE_ONLINE&after=" + start, ADMIN_TOKEN).json())
        .hasSize(2)
        .extracting(event -> event.path("workspace_id").asString())
        .containsExactly(one.id().toString(), other.id().toString());
    assertThat(CLIENT.get("/events?type=", ADMIN_TOKEN).json()).isNotEmpty();
    assertThat(CLIENT.get("/events?type=NO_SUCH_TYPE", ADMIN_TOKEN).text()).isEqualTo("[]");
    assertThat(CLIENT.get("/events?type=workspace_online", ADMIN_TOKEN).text()).isEqualTo("[]");
    assertThat(CLIENT.get("/events?type=%00", ADMIN_TOKEN).status()).isEqualTo(200);
    assertThat(CLIENT.get("/events/" + one.id() + "?type=a%27b", ADMIN_TOKEN).status())
        .isEqualTo(200);
  }

  @Test
  void comeNewestFirstOrOldestFirstAfterANumber() {
    List<Long> newest = manyEvents();

    assertThat(newest).hasSize(100);
    for (int i = 1; i < newest.size(); i++) {
      assertThat(newest.get(i)).isEqualTo(newest.get(i - 1) - 1);
    }
    long middle = newest.get(50);
    assertThat(seqs(CLIENT.get("/events?after=" + middle, ADMIN_TOKEN)))
        .hasSize(50)
        .first()
        .isEqualTo(middle + 1);
    assertThat(seqs(CLIENT.get("/events?limit=3&after=" + middle, ADMIN_TOKEN)))
        .containsExactly(middle + 1, middle + 2, middle + 3);
    assertThat(seqs(CLIENT.get("/events?limit=3", ADMIN_TOKEN))).isEqualTo(newest.subList(0, 3));
    assertThat(seqs(CLIENT.get("/events?after=" + newest.getFirst(), ADMIN_TOKEN))).isEmpty();
    assertThat(seqs(CLIENT.get("/events?after=9223372036854775807", ADMIN_TOKEN))).isEmpty();
    assertThat(seqs(CLIENT.get("/events?after=0&limit=2", ADMIN_TOKEN))).containsExactly(1L, 2L);
    assertThat(seqs(CLIENT.get("/events?after=", ADMIN_TOKEN))).isEqualTo(newest);
  }

  /** Forty cards of the largest size do not fit into a page. */
  @Test
  void endAPageEarlyWhenTheyAreLargeAndContinueOnTheNext() {
    Agent agent = CLIENT.create("Large cards");
    for (int n = 0; n < 40; n++) {
      updateCard(agent, "{\"n\":%d,\"text\":\"%s\"}".formatted(n, "x".repeat(255_000)));
    }
    String list = "/events/" + agent.id() + "?type=AGENT_CARD_UPDATED&limit=1000";

    List<Long> first = seqs(CLIENT.get(list + "&after=0", ADMIN_TOKEN));
    assertThat(first).hasSizeBetween(30, 35);
    List<Long> rest = seqs(CLIENT.get(list + "&after=" + first.getLast(), ADMIN_TOKEN));
    assertThat(rest).hasSize(40 - first.size());
    assertThat(rest.getFirst()).isGreaterThan(first.getLast());
    List<Long> newest = seqs(CLIENT.get(list, ADMIN_TOKEN));
    assertThat(newest).hasSize(first.size());
    assertThat(newest.getFirst()).isEqualTo(rest.getLast());
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "0, 1", "-3, 1", "50, 50"})
  void clampTheLimit(String asked, int given) {
    manyEvents();

    assertThat(seqs(CLIENT.get("/events?limit=" + asked, ADMIN_TOKEN))).hasSize(given);
    assertThat(seqs(CLIENT.get("/events?limit=100000", ADMIN_TOKEN)).size()).isBetween(100, 1000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"abc", "1.5", "99999999999999999999999x", "%00", "null"})
  void refuseAPositionThatIsNotANumber(String after) {
    assertRefused(CLIENT.get("/events?after=" + after, ADMIN_TOKEN), 400, "VALIDATION_FAILED");
  }

  @Test
  void haveNoGapForAReaderWhileEightWrite() {
    int writers = 8;
    int changes = 40;
    List<Agent> agents = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      agents.add(CLIENT.create("Writer " + i));
    }
    long start = seqs(CLIENT.get("/events?limit=1", ADMIN_TOKEN)).getFirst();
    AtomicInteger writing = new AtomicInteger(writers);
    List<Long> read = new ArrayList<>();
    List<String> named = new ArrayList<>();

    Race.run(
        writers + 1,
        i -> {
          if (i == writers) {
            readUntilAllIsWritten(start, writing, read, named);
          } else {
            write(agents.get(i), changes);
            writing.decrementAndGet();
          }
          return i;
        });

    assertThat(read).hasSize(writers * changes);
    for (int i = 0; i < read.size(); i++) {
      assertThat(read.get(i)).isEqualTo(start + 1 + i);
    }
    for (Agent agent : agents) {
      List<String> ofAgent =
          named.stream().filter(name -> name.startsWith(agent.id().toString())).toList();
      List<String> inOrder = new ArrayList<>();
      for (int n = 0; n < changes; n++) {
        inOrder.add(agent.id() + " Name " + n);
      }
      assertThat(ofAgent).isEqualTo(inOrder);
    }
  }

  private static void write(Agent agent, int changes) {
    for (int n = 0; n < changes; n++) {
      String body = "{\"name\":\"Name " + n + "\"}";
      Answer answer = CLIENT.patch("/workspaces/" + agent.id(), agent.token(), body);
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    }
  }

  private static void readUntilAllIsWritten(
      long start, AtomicInteger writing, List<Long> read, List<String> named) {
    boolean last = false;
    long after = start;
    while (true) {
      boolean allWritten = writing.get() == 0;
      JsonNode page = CLIENT.get("/events?limit=7&after=" + after, ADMIN_TOKEN).json();
      for (JsonNode event : page) {
        after = event.path("seq").asLong();
        read.add(after);
        named.add(
            event.path("workspace_id").asString()
                + " "
                + event.path("payload").path("name").asString());
      }
      if (page.isEmpty() && last) {
        return;
      }
      last = allWritten && page.isEmpty();
    }
  }

  /** Returns the numbers of the newest hundred events, after creating that many. */
  private static List<Long> manyEvents() {
    Agent agent = CLIENT.create("Many");
    while (CLIENT.get("/events", ADMIN_TOKEN).json().size() < 100) {
      CLIENT.patch(
          "/workspaces/" + agent.id(), ADMIN_TOKEN, "{\"name\":\"" + UUID.randomUUID() + "\"}");
    }
    return seqs(CLIENT.get("/events", ADMIN_TOKEN));
  }

  private static List<Long> seqs(Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json().valueStream().map(event -> event.path("seq").asLong()).collect(toList());
  }

  /** Types, oldest first, with the change of status where there is one. */
  private static List<String> recorded(Agent agent) {
    return CLIENT
        .get("/events/" + agent.id() + "?after=0", ADMIN_TOKEN)
        .json()
        .valueStream()
        .map(event -> {
          JsonNode payload = event.path("payload");
          String type = event.path("event_type").asString();
          return payload.has("previous_status")
              ? type
                  + " "
                  + payload.path("previous_status").asString("null")
                  + ">"
                  + payload.path("status").asString()
              : type;
        })
        .collect(toList());
  }

  private static void register(Agent agent, String card) {
    CLIENT.post(
        "/registry/register",
        agent.token(),
        "{\"id\":\"%s\",\"agent_card\":%s}".formatted(agent.id(), card));
  }

  private static void updateCard(Agent agent, String card) {
    CLIENT.post(
        "/registry/update-card",
        agent.token(),
        "{\"workspace_id\":\"%s\",\"agent_card\":%s}".formatted(agent.id(), card));
  }
}

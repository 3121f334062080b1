package dev.muster.runtime;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.protocol.RuntimeEvent;
import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.RuntimeStart;
import dev.muster.protocol.RuntimeEvent.RuntimeStdout;
import dev.muster.testing.Nightly;
import dev.muster.testing.Race;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Many writers on two replicas: no event is lost, doubled or out of order, stored or live. */
@Slow
@Tag("sql")
@Timeout(180)
class RuntimeRaceTest {

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer ONE = TestServer.startOn(DATABASE);
  private static final TestServer OTHER = TestServer.startOn(DATABASE);

  @AfterAll
  static void close() {
    OTHER.close();
    ONE.close();
  }

  private static final int WRITERS = 8;
  private static final int POSTS = 25;

  @Test
  void keepsEveryEventOfEightWritersOfOneStreamAndPublishesItOnceOnEachReplica() {
    TestStream stream = TestStream.create(ONE.client(), "one for all");
    try (TestSocket here = TestSocket.open(ONE.client(), "/ws", ADMIN_TOKEN);
        TestSocket there = TestSocket.open(OTHER.client(), "/ws", ADMIN_TOKEN)) {
      Race.run(
          WRITERS,
          writer -> {
            write(stream.at((writer % 2 == 0 ? ONE : OTHER).client()), "task " + writer);
            return null;
          });

      requireWhole(stream, IntStream.range(0, WRITERS).mapToObj(i -> "task " + i).toList());
      List<String> stored =
          stream.replayAll(1000).stream().map(event -> event.path("id").asString()).toList();
      for (TestSocket canvas : List.of(here, there)) {
        Awaitility.await()
            .atMost(Duration.ofSeconds(30))
            .untilAsserted(() -> assertAllOnce(payloads(canvas, stream), stored));
      }
    }
  }

  @Test
  @Nightly
  void keepsEveryEventOfEightWritersOfStreamsOfTheirOwn() {
    List<TestStream> streams =
        IntStream.range(0, WRITERS)
            .mapToObj(i -> TestStream.create(ONE.client(), "own " + i))
            .toList();
    Race.run(
        WRITERS,
        writer -> {
          write(streams.get(writer).at((writer % 2 == 0 ? ONE : OTHER).client()), "mine");
          return null;
        });
    streams.forEach(stream -> requireWhole(stream, List.of("mine")));
  }

  @Test
  @Nightly
  void publishesTwentyThousandChunksWithoutEndingAStream() {
    int chunks = 20_000;
    int together = 2_500;
    TestStream stream = TestStream.create(ONE.client(), "chatty");
    try (TestSocket here = TestSocket.open(ONE.client(), "/ws", ADMIN_TOKEN);
        TestSocket there = TestSocket.open(OTHER.client(), "/ws", ADMIN_TOKEN)) {
      StringBuilder said = new StringBuilder();
      for (int i = 0; i < chunks; i += together) {
        RuntimeEvent[] batch = new RuntimeEvent[together];
        for (int n = 0; n < together; n++) {
          batch[n] = new RuntimeStdout("chatty", (i + n) + " ");
          said.append(i + n).append(' ');
        }
        stream.add(batch);
      }
      assertThat(TestStream.chunksOf(stream.replayAll(1000))).isEqualTo(said.toString());
      for (TestSocket canvas : List.of(here, there)) {
        Awaitility.await()
            .atMost(Duration.ofSeconds(30))
            .untilAsserted(() ->
                assertThat(TestStream.chunksOf(payloads(canvas, stream)))
                    .isEqualTo(said.toString()));
        assertThat(payloads(canvas, stream).stream().mapToInt(p -> p.path("events").asInt()).sum())
            .isEqualTo(chunks);
      }
    }
  }

  /** So many at once that consecutive chunks are published as one. */
  @Test
  void mergesNoOutputOfTwoRuns() {
    TestStream stream = TestStream.create(ONE.client(), "two at once");
    List<String> tasks = List.of("first", "other");
    try (TestSocket canvas = TestSocket.open(ONE.client(), "/ws", ADMIN_TOKEN)) {
      RuntimeEvent[] batch = new RuntimeEvent[3 * MergedChunk.MERGE_THRESHOLD];
      StringBuilder said = new StringBuilder();
      for (int i = 0; i < batch.length; i++) {
        batch[i] = new RuntimeStdout(tasks.get(i / 3 % 2), i + " ");
        if (i / 3 % 2 == 0) {
          said.append(i).append(' ');
        }
      }
      stream.add(batch);

      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() ->
              assertThat(
                      payloads(canvas, stream).stream()
                          .mapToInt(one -> one.path("events").asInt())
                          .sum())
                  .isEqualTo(batch.length));
      List<JsonNode> frames = payloads(canvas, stream);
      assertThat(frames).hasSizeLessThan(batch.length);
      assertThat(
              TestStream.chunksOf(
                  frames.stream()
                      .filter(one -> one.at("/payload/task_name").asString().equals("first"))
                      .toList()))
          .isEqualTo(said.toString());
    }
  }

  @Test
  void publishesTheFieldsThatACanvasNeeds() {
    TestStream stream = TestStream.create(ONE.client(), "canvas");
    try (TestSocket there = TestSocket.open(OTHER.client(), "/ws", ADMIN_TOKEN)) {
      assertThat(
              stream
                  .post(
                      "{\"type\":\"RuntimeStdout\",\"payload\":{\"task_name\":\"t\",\"chunk\":\"a\\u0000\",\"new\":1.0}}")
                  .status())
          .isEqualTo(202);

      JsonNode frame = there.await("RUNTIME_EVENT");

      assertThat(frame.path("workspace_id").asString()).isEqualTo(stream.agent().id().toString());
      assertThat(List.copyOf(frame.path("payload").propertyNames()))
          .containsExactly("type", "payload", "run_id", "id", "events");
      JsonNode stored = stream.replay("").path(0);
      for (String field : List.of("type", "payload", "run_id", "id")) {
        assertThat(frame.path("payload").path(field)).isEqualTo(stored.path(field));
      }
    }
  }

  private static void write(TestStream stream, String task) {
    stream.add(new RuntimeStart(task, "r", "l"));
    for (int i = 0; i < POSTS; i++) {
      stream.add(new RuntimeStdout(task, i + "a "), new RuntimeStdout(task, i + "b "));
    }
    stream.add(new RuntimeEnd(task, 0, 1));
  }

  private static void requireWhole(TestStream stream, List<String> tasks) {
    List<JsonNode> all = stream.replayAll(1000);
    assertThat(all).hasSize(tasks.size() * (2 * POSTS + 2));
    assertThat(all.stream().map(event -> event.path("id").asString())).doesNotHaveDuplicates();
    StringBuilder expected = new StringBuilder();
    IntStream.range(0, POSTS).forEach(i -> expected.append(i).append("a ").append(i).append("b "));
    for (String task : tasks) {
      JsonNode runs = stream.runs("?task_name=" + task.replace(' ', '+'));
      assertThat(runs.size()).as(task).isEqualTo(1);
      assertThat(runs.path(0).path("status").asString()).isEqualTo("succeeded");
      assertThat(runs.path(0).path("stdout").asString()).isEqualTo(expected.toString());
      List<JsonNode> own =
          all.stream()
              .filter(event -> event.path("payload").path("task_name").asString().equals(task))
              .toList();
      assertThat(TestStream.chunksOf(own)).isEqualTo(expected.toString());
      assertThat(own).allMatch(event -> event.path("run_id").equals(runs.path(0).path("run_id")));
    }
  }

  private static List<JsonNode> payloads(TestSocket canvas, TestStream stream) {
    List<JsonNode> payloads = new ArrayList<>();
    for (JsonNode frame : canvas.frames()) {
      if (frame.path("event").asString().equals("RUNTIME_EVENT")
          && frame.path("workspace_id").asString().equals(stream.agent().id().toString())) {
        payloads.add(frame.path("payload"));
      }
    }
    return payloads;
  }

  /** A frame may stand for several chunks, of which it names the last. */
  private static void assertAllOnce(List<JsonNode> live, List<String> stored) {
    int events = 0;
    for (JsonNode payload : live) {
      events += payload.path("events").asInt();
      assertThat(events).isLessThanOrEqualTo(stored.size());
      assertThat(payload.path("id").asString()).isEqualTo(stored.get(events - 1));
    }
    assertThat(events).isEqualTo(stored.size());
  }
}

package dev.muster.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/**
 * Kills the embedded server (kill -9) while rows are appended and polls wait: after the restart
 * each acknowledged row exists once, and no number is missing.
 */
@Slow
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class AppendKillTest {

  private static final int KILLS = 1;
  private static final int FEEDS = 3;
  private static final int WRITERS_OF_A_FEED = 4;
  private static final int ACKNOWLEDGED_BETWEEN_KILLS = 100;
  private static final Map<String, String> SETTINGS = Map.of("ADMIN_TOKEN", TestServer.ADMIN_TOKEN);

  /** A feed, its acknowledged rows, and the reader that continues after each restart. */
  private record Followed(Agent agent, Queue<String> acknowledged, OrderedReader reader) {

    static Followed of(Agent agent) {
      return new Followed(
          agent, new ConcurrentLinkedQueue<>(), new OrderedReader(agent, "order=asc&wait=20"));
    }
  }

  @TempDir Path folder;

  @Test
  void keepsEveryAcknowledgedRowOnceAndWithoutAGap() throws Exception {
    Path home = folder.resolve("home");
    List<Followed> feeds = List.of();
    for (int life = 0; life <= KILLS; life++) {
      try (ServerProcess server = ServerProcess.start(home, SETTINGS).awaitReady()) {
        TestClient client = server.client();
        if (life == 0) {
          feeds =
              IntStream.range(0, FEEDS).mapToObj(i -> Followed.of(client.create("a" + i))).toList();
        }
        for (Followed feed : feeds) {
          requireKept(client, feed);
        }
        if (life < KILLS) {
          appendUntilKilled(server, feeds);
        }
      }
    }
  }

  private static void requireKept(TestClient client, Followed feed) {
    List<Long> seqs = new ArrayList<>();
    List<String> kept = new ArrayList<>();
    JsonNode page = page(client, feed.agent(), "");
    while (!page.isEmpty()) {
      for (JsonNode row : page) {
        seqs.add(row.path("seq").asLong());
        kept.add(row.path("id").asString() + " " + row.path("seq").asLong());
      }
      page = page(client, feed.agent(), "&since_id=" + kept.getLast().split(" ", 2)[0]);
    }
    assertThat(seqs).isEqualTo(LongStream.rangeClosed(1, seqs.size()).boxed().toList());
    assertThat(kept).doesNotHaveDuplicates().containsAll(feed.acknowledged());
    // first the rows that the reader saw before the kill, now the rest
    feed.reader().readOn(client, seqs.size());
    assertThat(feed.reader().faults(seqs.size())).isEmpty();
  }

  private static JsonNode page(TestClient client, Agent agent, String since) {
    return client
        .get("/workspaces/" + agent.id() + "/activity?order=asc&limit=500" + since, agent.token())
        .json();
  }

  private static void appendUntilKilled(ServerProcess server, List<Followed> feeds)
      throws Exception {
    TestClient client = server.client();
    List<Integer> before = feeds.stream().map(feed -> feed.acknowledged().size()).toList();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> working = new ArrayList<>();
      for (Followed feed : feeds) {
        for (int i = 0; i < WRITERS_OF_A_FEED; i++) {
          working.add(threads.submit(() -> untilKilled(() -> append(client, feed))));
        }
        working.add(threads.submit(() -> untilKilled(() -> feed.reader().readOn(client))));
      }
      Awaitility.await()
          .until(() ->
              IntStream.range(0, FEEDS)
                  .allMatch(i ->
                      feeds.get(i).acknowledged().size()
                          >= before.get(i) + ACKNOWLEDGED_BETWEEN_KILLS));
      server.kill();
      for (Future<?> one : working) {
        one.get();
      }
    }
  }

  private static void untilKilled(Runnable work) {
    try {
      while (true) {
        work.run();
      }
    } catch (IllegalStateException killed) {
      // the connection broke: that request was not answered
    }
  }

  private static void append(TestClient client, Followed feed) {
    Answer answer =
        client.post(
            "/workspaces/" + feed.agent().id() + "/activity",
            feed.agent().token(),
            "{\"activity_type\":\"agent_log\",\"summary\":\"thinking\"}");
    if (answer.status() == 200) {
      feed.acknowledged().add(answer.field("id") + " " + answer.json().path("seq").asLong());
    }
  }
}

package dev.muster.message.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Rounds;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.WorkUntilKilled;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import tools.jackson.databind.JsonNode;

/**
 * Appends rows to some feeds while polls wait: each acknowledged row exists once, and no number is
 * missing.
 */
public final class AppendsUntilKilled implements WorkUntilKilled {

  private static final int FEEDS = 3;
  private static final int WRITERS_OF_A_FEED = 4;
  private static final int ENOUGH = Rounds.of(50, 100);

  private final List<Followed> feeds;

  public AppendsUntilKilled(TestClient first) {
    feeds = IntStream.range(0, FEEDS).mapToObj(i -> new Followed(first.create("a" + i))).toList();
  }

  @Override
  public List<Runnable> actions(TestClient server) {
    List<Runnable> actions = new ArrayList<>();
    for (Followed feed : feeds) {
      feed.before = feed.acknowledged.size();
      actions.addAll(Collections.nCopies(WRITERS_OF_A_FEED, () -> feed.append(server)));
      actions.add(() -> feed.reader.readOn(server));
    }
    return actions;
  }

  @Override
  public boolean isEnough() {
    return feeds.stream().allMatch(feed -> feed.acknowledged.size() >= feed.before + ENOUGH);
  }

  @Override
  public void requireKept(TestClient server) {
    feeds.forEach(feed -> feed.requireKept(server));
  }

  /** A feed, its acknowledged rows, and the reader that continues after each restart. */
  private static final class Followed {

    private final Agent agent;
    private final Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
    private final OrderedReader reader;
    private int before;

    Followed(Agent agent) {
      this.agent = agent;
      this.reader = new OrderedReader(agent, "order=asc&wait=20");
    }

    void append(TestClient server) {
      Answer answer =
          server.post(
              "/workspaces/" + agent.id() + "/activity",
              agent.token(),
              "{\"activity_type\":\"agent_log\",\"summary\":\"thinking\"}");
      if (answer.status() == 200) {
        acknowledged.add(answer.field("id") + " " + answer.json().path("seq").asLong());
      }
    }

    void requireKept(TestClient server) {
      List<Long> seqs = new ArrayList<>();
      List<String> kept = new ArrayList<>();
      JsonNode page = page(server, "");
      while (!page.isEmpty()) {
        for (JsonNode row : page) {
          seqs.add(row.path("seq").asLong());
          kept.add(row.path("id").asString() + " " + row.path("seq").asLong());
        }
        page = page(server, "&since_id=" + kept.getLast().split(" ", 2)[0]);
      }
      assertThat(seqs).isEqualTo(LongStream.rangeClosed(1, seqs.size()).boxed().toList());
      assertThat(kept).doesNotHaveDuplicates().containsAll(acknowledged);
      // first the rows that the reader saw before the kill, now the rest
      reader.readOn(server, seqs.size());
      assertThat(reader.faults(seqs.size())).isEmpty();
    }

    private JsonNode page(TestClient server, String since) {
      return server
          .get("/workspaces/" + agent.id() + "/activity?order=asc&limit=500" + since, agent.token())
          .json();
    }
  }
}

package dev.muster.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.WorkUntilKilled;
import java.util.List;
import java.util.stream.IntStream;

/** Sends numbered heartbeats: the last number that was answered 200, or a later one, is stored. */
public final class HeartbeatsUntilKilled implements WorkUntilKilled {

  private static final int AGENTS = 16;
  private static final int ENOUGH = 20;

  private final List<Beating> fleet;

  public HeartbeatsUntilKilled(TestClient first) {
    fleet = IntStream.range(0, AGENTS).mapToObj(i -> new Beating(first.create("h" + i))).toList();
  }

  @Override
  public List<Runnable> actions(TestClient server) {
    return fleet.stream()
        .<Runnable>map(beating -> {
          beating.before = beating.sent;
          return () -> beating.heartbeat(server);
        })
        .toList();
  }

  @Override
  public boolean isEnough() {
    return fleet.stream().allMatch(beating -> beating.acknowledged > beating.before + ENOUGH);
  }

  @Override
  public void requireKept(TestClient server) {
    for (Beating beating : fleet) {
      assertThat(server.read(beating.agent).path("uptime_seconds").asLong())
          .isBetween(beating.acknowledged, beating.sent);
    }
  }

  private static final class Beating {

    private final Agent agent;
    private volatile long sent;
    private volatile long acknowledged;
    private long before;

    Beating(Agent agent) {
      this.agent = agent;
    }

    /** Called by one thread. */
    void heartbeat(TestClient server) {
      long number = sent + 1;
      sent = number;
      if (server.heartbeatOnce(agent, "\"uptime_seconds\":" + number).status() == 200) {
        acknowledged = number;
      }
    }
  }
}

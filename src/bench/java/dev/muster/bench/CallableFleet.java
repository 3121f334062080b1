package dev.muster.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Workspaces that may call each other through the proxy. */
final class CallableFleet {

  private static final int SIZE = 300;
  private static final int WARM_UP_SECONDS = 30;
  private static final int MAX_WARM_UPS = 8;

  private final String url;
  private final List<String[]> siblings;
  private int given;

  private CallableFleet(String url, List<String[]> siblings) {
    this.url = url;
    this.siblings = siblings;
  }

  static CallableFleet seed(String url) throws Exception {
    List<String[]> fleet = BenchFleet.seed(url, SIZE + 1);
    BenchFleet.execute(
        url,
        "UPDATE workspaces SET parent_id = '%1$s' WHERE id <> '%1$s'"
            .formatted(fleet.getFirst()[0]));
    List<String[]> siblings = new ArrayList<>();
    for (int i = 1; i <= SIZE; i++) {
      siblings.add(new String[] {fleet.get(i)[0], fleet.get(i - 1)[1]});
    }
    return new CallableFleet(url, siblings);
  }

  /**
   * The next workspaces, whose url is {@code agentUrl} now: the id of each, and the token of a
   * caller.
   */
  List<String[]> at(String agentUrl, int count) throws Exception {
    List<String[]> agents = siblings.subList(given, given + count);
    given += count;
    BenchFleet.execute(
        url,
        """
        UPDATE workspaces SET delivery_mode = 'push', url = '%s', max_concurrent_tasks = 1000000
        WHERE id = ANY ('{%s}')
        """
            .formatted(
                agentUrl, agents.stream().map(agent -> agent[0]).collect(Collectors.joining(","))));
    return agents;
  }

  /** Runs until the rate stops growing: on few cores the compilers work for minutes. */
  static void warmUp(Wrk toServer, int connections) throws IOException {
    double best = 0;
    for (int i = 0; i < MAX_WARM_UPS; i++) {
      Wrk.Round round =
          toServer.run("message.lua", Messages.path("{id}"), connections, WARM_UP_SECONDS);
      System.out.println(round);
      if (round.refused() > 0) {
        throw new IllegalStateException("calls were refused: " + round);
      }
      if (round.requestsPerSecond() < 1.05 * best) {
        return;
      }
      best = round.requestsPerSecond();
    }
  }
}

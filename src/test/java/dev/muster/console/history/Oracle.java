package dev.muster.console.history;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Changes agents at random, each by one thread, and records after each change what the server says
 * of the agent then. Knows from that alone what the fleet was at any time.
 */
final class Oracle {

  private record State(Instant since, String text) {}

  private final TestClient client;
  private final Map<UUID, List<State>> recorded = new ConcurrentHashMap<>();

  Oracle(TestClient client) {
    this.client = client;
  }

  /** Makes so many changes of agents of its own. */
  void change(int seed, int times) {
    Random random = new Random(seed);
    List<Agent> agents = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      if (agents.size() < 3 || random.nextInt(12) == 0) {
        Agent made = client.create("w" + seed + "-" + i);
        agents.add(made);
        record(made.id());
      } else {
        Agent agent = agents.get(random.nextInt(agents.size()));
        if (!changeOne(agent, random, i)) {
          agents.remove(agent);
        }
        record(agent.id());
      }
    }
  }

  /** Returns false when it was removed. */
  private boolean changeOne(Agent agent, Random random, int i) {
    String path = "/workspaces/" + agent.id();
    switch (random.nextInt(9)) {
      case 0 -> client.post(path + "/pause", ADMIN_TOKEN, "");
      case 1, 2 -> client.post(path + "/resume", ADMIN_TOKEN, "");
      case 3 ->
          client.heartbeat(
              agent, "\"runtime_state\":\"wedged\"", "\"sample_error\":\"e" + i % 7 + "\"");
      case 4 -> client.heartbeat(agent, "\"error_rate\":0.9", "\"sample_error\":\"429\"");
      case 5 -> {
        client.delete(path + "?confirm=true", ADMIN_TOKEN);
        return false;
      }
      default -> client.heartbeat(agent, "\"runtime_state\":\"\"", "\"error_rate\":0");
    }
    return true;
  }

  private void record(UUID id) {
    JsonNode now =
        client.patient().get("/workspaces/" + id + "?include_removed=true", ADMIN_TOKEN).json();
    String status = now.path("status").asString();
    String reason = now.path("degraded_reason").asString(null);
    String removed = now.path("removed_at").asString("");
    List<State> states = recorded.computeIfAbsent(id, made -> new ArrayList<>());
    Instant since =
        Instant.parse(removed.isEmpty() ? now.path("status_since").asString() : removed);
    State last = states.isEmpty() ? new State(Instant.EPOCH, "") : states.getLast();
    if (!last.since().equals(since) || !last.text().startsWith(status)) {
      states.add(new State(since, text(status, reason, since)));
    }
  }

  /** A status in words, as {@link #at} has it. */
  static String text(String status, @Nullable String reason, Instant since) {
    return status + " " + reason + " " + since.truncatedTo(ChronoUnit.SECONDS);
  }

  /** Returns the fleet as it was. */
  Map<UUID, String> at(Instant time) {
    Map<UUID, String> fleet = new TreeMap<>();
    recorded.forEach((id, states) -> {
      State last = null;
      for (State state : states) {
        last = state.since().isAfter(time) ? last : state;
      }
      if (last != null && !last.text().startsWith("removed")) {
        fleet.put(id, last.text());
      }
    });
    return fleet;
  }

  /** Returns when something changed, in order. */
  List<Instant> times() {
    return recorded.values().stream()
        .flatMap(List::stream)
        .map(State::since)
        .sorted()
        .distinct()
        .toList();
  }
}

package dev.muster.message.feed;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import java.time.Instant;
import java.util.BitSet;
import tools.jackson.databind.JsonNode;

/**
 * Reads a feed page by page by the id of the last row, and counts lost, repeated and misordered
 * rows.
 */
final class OrderedReader {

  private final Agent agent;
  private final String query;
  private final BitSet seen = new BitSet();
  private String cursor = "";
  private long last;
  private Instant lastAt = Instant.EPOCH;
  private long pages;
  private long repeated;
  private long misordered;
  private long backInTime;

  /** Reads the agent's own feed; {@code query} must ask for the oldest first. */
  OrderedReader(Agent agent, String query) {
    this.agent = agent;
    this.query = query;
  }

  /** Reads the next page; false when it is empty. Asks again when the server is busy. */
  boolean readOn(TestClient server) {
    String since = cursor.isEmpty() ? "" : "&since_id=" + cursor;
    Answer answer =
        server.get("/workspaces/" + agent.id() + "/activity?" + query + since, agent.token());
    if (answer.status() == 503) {
      return true;
    }
    if (answer.status() != 200) {
      throw new AssertionError("a poll was answered " + answer);
    }
    JsonNode rows = answer.json();
    rows.forEach(this::see);
    pages++;
    return !rows.isEmpty();
  }

  /** Reads up to this row, which exists. */
  void readOn(TestClient server, long lastSeq) {
    boolean found = true;
    while (found && last < lastSeq) {
      found = readOn(server);
    }
  }

  private void see(JsonNode row) {
    long seq = row.path("seq").asLong();
    Instant at = Instant.parse(row.path("created_at").asString());
    if (seen.get((int) seq)) {
      repeated++;
    } else if (seq < last) {
      misordered++;
    }
    if (at.isBefore(lastAt)) {
      backInTime++;
    }
    seen.set((int) seq);
    last = seq;
    lastAt = at;
    cursor = row.path("id").asString();
  }

  long pages() {
    return pages;
  }

  /** "" when every row up to this one was seen once, in order. */
  String faults(long lastSeq) {
    long lost = lastSeq - seen.cardinality();
    return lost == 0 && repeated == 0 && misordered == 0 && backInTime == 0
        ? ""
        : "%s: %d lost, %d repeated, %d misordered, %d back in time"
            .formatted(query, lost, repeated, misordered, backInTime);
  }
}

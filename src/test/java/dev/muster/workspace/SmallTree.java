package dev.muster.workspace;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * A family: grandparent over parent and uncle, parent over self, sibling and one removed, self over
 * child, uncle over cousin; and an unrelated root.
 */
final class SmallTree {

  private final TestClient client;
  private final Map<String, Agent> members = new HashMap<>();

  SmallTree(TestClient client) {
    this.client = client;
    add("grandparent");
    add("otherRoot");
    add("parent", under("grandparent"));
    add("uncle", under("grandparent"));
    add("self", under("parent"));
    add("sibling", under("parent"));
    add("removed", under("parent"));
    add("cousin", under("uncle"));
    add("child", under("self"), "\"role\":\"role of the child\"");
    members.put("unknown", new Agent(UUID.randomUUID(), ""));
    client.delete("/workspaces/" + id("removed"), ADMIN_TOKEN);
  }

  private void add(String name, String... fields) {
    members.put(name, client.create(name, fields));
  }

  /** The field that makes a workspace a child of this one. */
  String under(String name) {
    return "\"parent_id\":\"" + id(name) + "\"";
  }

  Agent agent(String name) {
    return Objects.requireNonNull(members.get(name));
  }

  UUID id(String name) {
    return agent(name).id();
  }

  /** Asserts the answer of all routes that check this permission. */
  void assertMayTalk(String from, String to, boolean allowed) {
    Answer check =
        client.post(
            "/registry/check-access",
            null,
            "{\"caller_id\":\"%s\",\"target_id\":\"%s\"}".formatted(id(from), id(to)));
    assertThat(check.status()).isEqualTo(200);
    assertThat(check.text()).isEqualTo("{\"allowed\":" + allowed + "}");
    if (from.equals("removed") || from.equals("unknown")) {
      return;
    }
    int refusal =
        switch (to) {
          case "removed" -> 410;
          case "unknown" -> 404;
          default -> 403;
        };
    Answer found =
        client.get(
            "/registry/discover/" + id(to),
            agent(from).token(),
            "X-Workspace-ID",
            id(from).toString());
    Answer read = client.get("/workspaces/" + id(to), agent(from).token());
    assertThat(found.status()).as(found.text()).isEqualTo(allowed ? 200 : refusal);
    assertThat(read.status()).as(read.text()).isEqualTo(allowed ? 200 : refusal);
  }
}

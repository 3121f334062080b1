package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** A delegation, and the requests that its agents and operators may send at any time. */
record RacingDelegation(String id, Agent caller, Agent callee) {

  /** A request that does not end it. */
  Answer goOn(Delegations server) {
    return switch (ThreadLocalRandom.current().nextInt(5)) {
      case 0 -> server.heartbeat(callee, id);
      case 1 -> server.client().heartbeat(callee, "\"delegations\":[\"" + id + "\",\"none\"]");
      case 2 -> server.update(callee, id, "{\"status\":\"in_progress\"}");
      case 3 -> server.update(caller, id, "{\"status\":\"in_progress\"}");
      default -> operate(server.client(), id, "retry", "");
    };
  }

  /** A request that ends it unless it has ended; some replies are sent twice. */
  List<Answer> end(Delegations server) {
    return switch (ThreadLocalRandom.current().nextInt(6)) {
      case 0 ->
          List.of(server.update(callee, id, "{\"status\":\"completed\",\"result\":\"callee's\"}"));
      case 1 ->
          List.of(server.update(caller, id, "{\"status\":\"completed\",\"result\":\"caller's\"}"));
      case 2 -> List.of(server.update(callee, id, "{\"status\":\"failed\",\"error\":\"cannot\"}"));
      case 3 -> List.of(operate(server.client(), id, "fail", "{\"reason\":\"enough\"}"));
      case 4 -> List.of(reply(server, text()));
      default -> {
        String text = text();
        yield List.of(reply(server, text), reply(server, text));
      }
    };
  }

  static Answer operate(TestClient client, String id, String what, String body) {
    return client.post("/admin/delegations/" + id + "/" + what, ADMIN_TOKEN, body);
  }

  /** Each reply has a text of its own, so that the one that ended it is known. */
  private static String text() {
    return LedgerLog.REPLY + Long.toHexString(ThreadLocalRandom.current().nextLong());
  }

  private Answer reply(Delegations server, String text) {
    return server.send(callee, caller, text, text, "{\"delegation_id\":\"" + id + "\"}");
  }
}

package dev.muster.platform.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.StatementRelay;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A request is answered within 5 s, whichever of its statements the database never answers. */
@Slow
@Timeout(600)
class StalledStatementsTest {

  /**
   * Only statements that a request sends each time are its own, and not those of a loop, a first
   * check or the request before it: requests are sent in the other order as well.
   */
  private static final int OBSERVATIONS = 3;

  /** At most one of so many statements is that of a loop. */
  private static final int MAX_OF_LOOPS = 10;

  /** Each stalled request holds a connection. */
  private static final int MANY_CONNECTIONS = 40;

  @Test
  void allAreAnsweredInTime() throws Exception {
    TestDatabase database = TestDatabases.create();
    int port = URI.create(database.url().substring("jdbc:".length())).getPort();
    try (StatementRelay wire = new StatementRelay(port);
        TestPeer peer = TestPeer.start();
        TestServer server =
            TestServer.startOn(
                new TestDatabase(
                    database.url().replaceFirst(":" + port + "/", ":" + wire.port() + "/")),
                "AGENT_URL_ALLOW=loopback",
                "spring.datasource.hikari.maximum-pool-size=" + MANY_CONNECTIONS)) {
      RequestKinds kinds = new RequestKinds(server.client(), peer.url());
      awaitReady(server.client(), database);
      Map<String, Set<String>> requestsByStatement = requestsByStatement(observed(kinds, wire));
      Set<String> notReached = new LinkedHashSet<>();
      for (Map<String, String> round : rounds(requestsByStatement)) {
        notReached.addAll(notReached(kinds, wire, round));
        awaitReady(server.client(), database);
      }
      // other requests of their round prevented them
      Set<String> ofLoops = new LinkedHashSet<>();
      for (String statement : notReached) {
        Map<String, String> round = new LinkedHashMap<>();
        requestsByStatement
            .getOrDefault(statement, Set.of())
            .forEach(request -> round.put(request, statement));
        ofLoops.addAll(notReached(kinds, wire, round));
        awaitReady(server.client(), database);
      }
      // statements of work that a request wakes are seen with it, but run later
      assertThat(ofLoops).hasSizeLessThan(requestsByStatement.size() / MAX_OF_LOOPS);
    }
  }

  /** Returns the stalled statements that were not sent. */
  private static Set<String> notReached(
      RequestKinds kinds, StatementRelay wire, Map<String, String> round) throws Exception {
    Map<String, Callable<Answer>> requests = kinds.prepare(round.keySet());
    wire.stall(round.values());
    assertInTime(requests, round);
    Set<String> notReached = new LinkedHashSet<>(round.values());
    notReached.removeAll(wire.reached());
    wire.cut();
    return notReached;
  }

  /** Returns the statements that each kind of request sends. */
  private static Map<String, Set<String>> observed(RequestKinds kinds, StatementRelay wire)
      throws Exception {
    Map<String, Set<String>> observed = new LinkedHashMap<>();
    for (int i = 0; i < OBSERVATIONS; i++) {
      List<String> order = i % 2 == 0 ? RequestKinds.ALL : RequestKinds.ALL.reversed();
      for (var request : kinds.prepare(order).entrySet()) {
        wire.takeSent();
        Answer answer = request.getValue().call();
        assertThat(answer.status() / 100).as("%s: %s", request.getKey(), answer).isEqualTo(2);
        Set<String> sent = wire.takeSent();
        observed.merge(request.getKey(), sent, StalledStatementsTest::both);
      }
    }
    return observed;
  }

  private static Set<String> both(Set<String> some, Set<String> others) {
    Set<String> both = new LinkedHashSet<>(some);
    both.retainAll(others);
    return both;
  }

  private static Map<String, Set<String>> requestsByStatement(Map<String, Set<String>> observed) {
    Map<String, Set<String>> requests = new LinkedHashMap<>();
    observed.forEach((request, sent) ->
        sent.forEach(
            one -> requests.computeIfAbsent(one, _ -> new LinkedHashSet<>()).add(request)));
    return requests;
  }

  /**
   * Returns rounds that together stall every statement of every request once; in each round,
   * exactly one statement of each request is stalled.
   */
  private static List<Map<String, String>> rounds(Map<String, Set<String>> requestsByStatement) {
    List<Map<String, String>> rounds = new ArrayList<>();
    requestsByStatement.forEach((statement, requests) -> {
      Map<String, String> free =
          rounds.stream()
              .filter(round -> requests.stream().noneMatch(round::containsKey))
              .findFirst()
              .orElseGet(() -> {
                rounds.add(new LinkedHashMap<>());
                return rounds.getLast();
              });
      requests.forEach(request -> free.put(request, statement));
    });
    return rounds;
  }

  private static void assertInTime(
      Map<String, Callable<Answer>> requests, Map<String, String> stalled) throws Exception {
    Map<String, Future<TimedAnswer>> running = new LinkedHashMap<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      requests.forEach(
          (kind, request) -> running.put(kind, threads.submit(() -> TimedAnswer.to(request))));
      for (var one : running.entrySet()) {
        one.getValue().get().assertInTime(one.getKey() + " beside " + stalled.get(one.getKey()));
      }
    }
  }

  /**
   * Waits until the server has read the revocations since the stall, and so accepts cached tokens
   * for the next 5 s (R1.6): a cached token that is revoked in the database alone is refused.
   */
  private static void awaitReady(TestClient client, TestDatabase database) {
    Awaitility.await().until(() -> client.get("/ready", null).status() == 200);
    Agent revoked = client.create("revoked");
    String path = "/workspaces/" + revoked.id();
    Awaitility.await().until(() -> client.get(path, revoked.token()).status() == 200);
    database.execute(
        "UPDATE workspace_tokens SET revoked_at = clock_timestamp(), revoked_by = 'operator'"
            + " WHERE workspace_id = '"
            + revoked.id()
            + "'");
    Awaitility.await().until(() -> client.get(path, revoked.token()).status() == 401);
  }
}

package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.StatementRelay;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
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

  /** Most of the time of a round is a wait, so several servers share the rounds. */
  private static final int SERVERS = Rounds.of(2, 3);

  /**
   * Statements that many kinds of request send are in the last rounds. Of these, {@code
   * RequestDeadlineTest} stalls the first, by which a token is looked up.
   */
  private static final int MAX_ROUNDS = Rounds.of(8, Integer.MAX_VALUE);

  /** A server whose statements are stalled. */
  private record Site(
      TestDatabase database,
      StatementRelay wire,
      TestPeer peer,
      TestServer server,
      RequestKinds kinds)
      implements AutoCloseable {

    static Site start() throws IOException {
      TestDatabase database = TestDatabases.create();
      int port = URI.create(database.url().substring("jdbc:".length())).getPort();
      StatementRelay wire = new StatementRelay(port);
      TestPeer peer = TestPeer.start();
      TestServer server =
          TestServer.startOn(
              new TestDatabase(
                  database.url().replaceFirst(":" + port + "/", ":" + wire.port() + "/")),
              "AGENT_URL_ALLOW=loopback",
              "spring.datasource.hikari.maximum-pool-size=" + MANY_CONNECTIONS);
      return new Site(database, wire, peer, server, new RequestKinds(server.client(), peer.url()));
    }

    /** Runs rounds until none is left, and returns the stalled statements that were not sent. */
    Set<String> run(Queue<Map<String, String>> rounds) throws Exception {
      Set<String> notReached = new LinkedHashSet<>();
      for (Map<String, String> round = rounds.poll(); round != null; round = rounds.poll()) {
        awaitReady(server.client(), database);
        Map<String, Callable<Answer>> requests = kinds.prepare(round.keySet());
        wire.stall(round.values());
        assertInTime(requests, round);
        notReached.addAll(round.values());
        notReached.removeAll(wire.reached());
        wire.cut();
      }
      return notReached;
    }

    @Override
    public void close() throws IOException {
      server.close();
      peer.close();
      wire.close();
    }
  }

  @Test
  void allAreAnsweredInTime() throws Exception {
    List<Site> sites = new ArrayList<>();
    try {
      for (int i = 0; i < SERVERS; i++) {
        sites.add(Site.start());
      }
      Map<String, Set<String>> requestsByStatement = requestsByStatement(observed(sites.get(0)));
      List<Map<String, String>> rounds = rounds(requestsByStatement);
      Set<String> notReached = notReached(sites, rounds);
      // other requests of their round prevented them
      List<Map<String, String>> alone = new ArrayList<>();
      for (String statement : notReached) {
        Map<String, String> round = new LinkedHashMap<>();
        requestsByStatement
            .getOrDefault(statement, Set.of())
            .forEach(request -> round.put(request, statement));
        alone.add(round);
      }
      // statements of work that a request wakes are seen with it, but run later
      assertThat(notReached(sites, alone))
          .hasSizeLessThan(
              (int) rounds.stream().flatMap(round -> round.values().stream()).distinct().count()
                  / MAX_OF_LOOPS);
    } finally {
      for (Site site : sites) {
        site.close();
      }
    }
  }

  /** Returns the stalled statements that were not sent. */
  private static Set<String> notReached(List<Site> sites, List<Map<String, String>> rounds)
      throws Exception {
    Queue<Map<String, String>> left = new ConcurrentLinkedQueue<>(rounds);
    Set<String> notReached = new LinkedHashSet<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Set<String>>> running =
          sites.stream().map(site -> threads.submit(() -> site.run(left))).toList();
      for (Future<Set<String>> one : running) {
        notReached.addAll(one.get());
      }
    } finally {
      left.clear();
    }
    return notReached;
  }

  /** Returns the statements that each kind of request sends. */
  private static Map<String, Set<String>> observed(Site site) throws Exception {
    awaitReady(site.server.client(), site.database);
    StatementRelay wire = site.wire;
    Map<String, Set<String>> observed = new LinkedHashMap<>();
    for (int i = 0; i < OBSERVATIONS; i++) {
      List<String> order = i % 2 == 0 ? RequestKinds.ALL : RequestKinds.ALL.reversed();
      for (var request : site.kinds.prepare(order).entrySet()) {
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
   * Returns rounds that together stall every statement of every request once, or the first of these
   * rounds; in each, at most one statement of each request is stalled. The statements of the fewest
   * requests come first.
   */
  private static List<Map<String, String>> rounds(Map<String, Set<String>> requestsByStatement) {
    List<Map<String, String>> rounds = new ArrayList<>();
    requestsByStatement.entrySet().stream()
        .sorted(Comparator.comparingInt(one -> one.getValue().size()))
        .forEach(one -> {
          Map<String, String> free =
              rounds.stream()
                  .filter(round -> one.getValue().stream().noneMatch(round::containsKey))
                  .findFirst()
                  .orElseGet(() -> {
                    rounds.add(new LinkedHashMap<>());
                    return rounds.getLast();
                  });
          one.getValue().forEach(request -> free.put(request, one.getKey()));
        });
    System.out.printf("%d statements in %d rounds%n", requestsByStatement.size(), rounds.size());
    return rounds.subList(0, Math.min(rounds.size(), MAX_ROUNDS));
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

package dev.muster.attack;

import dev.muster.attack.Connection.Answer;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Sends hostile requests to every operation of a server's API description, as every identity. */
final class Fuzzer {

  private static final int THREADS = 8;
  private static final int TIMEOUT_MS = 20_000;
  private static final int TIMEOUT_OF_WAITING_MS = 1_000;
  private static final int EXPENDABLE = 10;
  private static final int MAX_EXAMPLES = 3;
  private static final Pattern REQUEST_ID = Pattern.compile("fuzz-(\\d+)");

  /** Faults of one kind, the first few with their request. */
  record Fault(String kind, int count, List<String> examples) {}

  private final long seed;
  private final AttackedServer server;
  private final int port;
  private final Map<String, List<String>> faults = new ConcurrentSkipListMap<>();
  private final Map<String, Integer> counts = new ConcurrentSkipListMap<>();
  private final Map<Integer, Integer> statuses = new ConcurrentSkipListMap<>();

  Fuzzer(AttackedServer server, long seed) {
    this.server = server;
    this.seed = seed;
    this.port = server.port();
  }

  /** Removes only workspaces that it created. */
  void run(int requests) throws Exception {
    try (TestPeer agent = TestPeer.start()) {
      agent.usually(PeerBehavior.answer(200, "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}"));
      RequestMaker maker = maker(agent.url());
      String logBefore = server.log();
      AtomicInteger next = new AtomicInteger();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        threads.add(
            Thread.ofPlatform().daemon().name("fuzzer").start(() -> send(maker, next, requests)));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      readLog(server.log().substring(logBefore.length()), maker);
    }
  }

  private RequestMaker maker(String agentUrl) {
    TestClient client = server.client();
    Random ids = new Random(seed);
    Agent lead = create(client, ids);
    String parent = "\"parent_id\":\"" + lead.id() + "\"";
    Agent own = create(client, ids, parent);
    Agent called =
        create(
            client,
            ids,
            parent,
            "\"delivery_mode\":\"push\",\"max_concurrent_tasks\":1000,\"url\":\""
                + agentUrl
                + "\"");
    // an agent that never sends a heartbeat, so that messages to it are queued
    Agent awaited = client.create("Awaited", parent, "\"delivery_mode\":\"push\"");
    List<UUID> expendable = new ArrayList<>();
    for (int i = 0; i < EXPENDABLE; i++) {
      expendable.add(create(client, ids, parent).id());
    }
    String rowId =
        client
            .post(
                "/workspaces/" + own.id() + "/activity",
                own.token(),
                "{\"activity_type\":\"agent_log\"}")
            .field("id");
    String delegationId =
        client
            .post(
                "/workspaces/" + own.id() + "/delegate",
                own.token(),
                "{\"target_id\":\"" + lead.id() + "\",\"task\":\"a task\"}")
            .field("delegation_id");
    RequestMaker.Fixture fixture =
        new RequestMaker.Fixture(
            List.of(own.id(), called.id(), awaited.id(), lead.id()),
            expendable,
            List.of(rowId, delegationId, UUID.nameUUIDFromBytes(new byte[1]).toString()));
    return new RequestMaker(
        seed,
        client.get("/v3/api-docs", null).json(),
        Map.of("anonymous", "", "workspace", own.token(), "admin", TestServer.ADMIN_TOKEN),
        fixture);
  }

  private static Agent create(TestClient client, Random ids, String... fields) {
    List<String> all = new ArrayList<>(List.of(fields));
    all.add("\"id\":\"" + new UUID(ids.nextLong(), ids.nextLong()) + "\"");
    return client.createOnline("Fuzzed", all.toArray(String[]::new));
  }

  private void send(RequestMaker maker, AtomicInteger next, int requests) {
    @Nullable Connection kept = null;
    for (int index = next.getAndIncrement(); index < requests; index = next.getAndIncrement()) {
      FuzzedRequest request = maker.make(index);
      kept = send(request, request.mayWait() ? null : kept);
    }
    if (kept != null) {
      kept.close();
    }
  }

  /** Returns the connection if it can be used again. */
  private @Nullable Connection send(FuzzedRequest request, @Nullable Connection kept) {
    @Nullable Connection connection = kept;
    try {
      if (connection == null) {
        connection =
            Connection.open(
                port, "127.0.0.1", request.mayWait() ? TIMEOUT_OF_WAITING_MS : TIMEOUT_MS);
      }
      Answer answer = exchange(connection, request);
      statuses.merge(answer.status(), 1, Integer::sum);
      Verdict.fault(request, answer)
          .ifPresent(fault -> report(kind(request, fault), fault, request));
      boolean keeps =
          request.framed()
              && !request.mayWait()
              && request.answerHasBody()
              && answer.status() >= 200
              && !answer.header("connection").equalsIgnoreCase("close");
      if (keeps) {
        return connection;
      }
    } catch (IOException e) {
      if (kept != null && !(e instanceof SocketTimeoutException)) {
        kept.close(); // the server may close an idle connection at any time
        return send(request, null);
      }
      if (!(request.mayWait() && e instanceof SocketTimeoutException) && request.framed()) {
        report(kind(request, "no answer"), "no answer: " + e, request);
      }
    }
    if (connection != null) {
      connection.close();
    }
    return null;
  }

  /** A server may answer and close before it has read everything. */
  private static Answer exchange(Connection connection, FuzzedRequest request) throws IOException {
    try {
      connection.send(request.bytes());
    } catch (SocketException answeredAlready) {
      // the answer shows the reason
    }
    return request.answerHasBody() ? connection.read() : connection.readHead();
  }

  private static String kind(FuzzedRequest request, String fault) {
    String kind = fault.substring(0, Math.min(fault.length(), 60)).replaceAll("\\s+", " ");
    return request.operation().method() + " " + request.operation().path() + ": " + kind;
  }

  private void report(String kind, String fault, FuzzedRequest request) {
    counts.merge(kind, 1, Integer::sum);
    List<String> examples =
        faults.computeIfAbsent(kind, _ -> Collections.synchronizedList(new ArrayList<>()));
    if (examples.size() < MAX_EXAMPLES) {
      examples.add(fault.substring(0, Math.min(fault.length(), 500)) + "\n    " + request);
    }
  }

  private void readLog(String logged, RequestMaker maker) {
    logged
        .lines()
        .filter(line -> line.contains(" ERROR ") || line.startsWith("\tat "))
        .forEach(line -> {
          String kind = "log: " + line.replaceFirst("^\\S+ +", "").replaceAll("fuzz-\\d+", "fuzz");
          String shown = line + culprit(line).map(index -> "\n    " + maker.make(index)).orElse("");
          counts.merge(kind, 1, Integer::sum);
          faults.computeIfAbsent(kind, _ -> new ArrayList<>(List.of(shown)));
        });
  }

  private static Optional<Integer> culprit(String line) {
    Matcher matcher = REQUEST_ID.matcher(line);
    return matcher.find() ? Optional.of(Integer.valueOf(matcher.group(1))) : Optional.empty();
  }

  Map<Integer, Integer> statuses() {
    return new TreeMap<>(statuses);
  }

  List<Fault> faults() {
    return faults.entrySet().stream()
        .map(fault ->
            new Fault(
                fault.getKey(),
                counts.getOrDefault(fault.getKey(), 0),
                List.copyOf(fault.getValue())))
        .toList();
  }
}

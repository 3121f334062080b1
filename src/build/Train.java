import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Sends a server the requests of agents, people and operators, several at a time, as its
 * ahead-of-time cache is trained with and checked with. Ends with 1 when an answer is not what it
 * should be, and says how many requests of each kind it sent.
 *
 * <p>Usage: {@code java Train.java http://127.0.0.1:8080 ADMIN_TOKEN SECONDS}. The server has no
 * rate limits, and may send to loopback.
 */
public final class Train {

  private static final int WORKERS = 16;
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(LIMIT).build();
  private static final Pattern FIELD =
      Pattern.compile("\"(id|auth_token|delegation_id|status|seq)\":\"?([^\",}]+)");
  private static final List<String> READS =
      List.of(
          "/workspaces",
          "/workspaces/%s",
          "/workspaces/%s/activity",
          "/workspaces/%s/state",
          "/workspaces/%s/chat-history",
          "/workspaces/%s/tokens",
          "/workspaces/%s/delegations",
          "/workspaces/%s/runtime-runs",
          "/console/fleet",
          "/console/summary",
          "/console/timeline/%s",
          "/console/history/%s",
          "/console/sessions",
          "/events",
          "/admin/liveness",
          "/admin/operations",
          "/admin/settings",
          "/admin/audit",
          "/admin/a2a-queue",
          "/admin/a2a-queue/summary",
          "/admin/delegations/graph",
          "/admin/bulk",
          "/metrics",
          "/ready",
          "/health",
          "/ui/");

  private record Agent(String id, String token) {}

  private final String base;
  private final String admin;
  private final AtomicBoolean goesOn = new AtomicBoolean(true);
  private final AtomicInteger wrong = new AtomicInteger();
  private final ConcurrentHashMap<String, Integer> sent = new ConcurrentHashMap<>();

  private Train(String base, String admin) {
    this.base = base;
    this.admin = admin;
  }

  public static void main(String[] arguments) throws Exception {
    Train train = new Train(arguments[0], arguments[1]);
    int wrong = train.run(Duration.ofSeconds(Long.parseLong(arguments[2])));
    System.out.println(train.sent);
    System.exit(wrong == 0 ? 0 : 1);
  }

  private int run(Duration time) throws Exception {
    HttpServer peer =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
    peer.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    peer.createContext("/", Train::answer);
    peer.start();
    try (var workers = Executors.newVirtualThreadPerTaskExecutor()) {
      String url = "http://127.0.0.1:" + peer.getAddress().getPort() + "/";
      pages();
      for (int i = 0; i < WORKERS; i++) {
        workers.submit(() -> guarded(() -> work(url)));
      }
      Thread.sleep(time);
      goesOn.set(false);
    }
    peer.stop(0);
    return wrong.get();
  }

  /** The agent that is called: it answers each message with a text. */
  private static void answer(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().readAllBytes();
    byte[] body =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"message\",\"parts\":[{\"kind\":\"text\",\"text\":\"done\"}]}}"
            .getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private interface Work {
    void run() throws Exception;
  }

  private void guarded(Work work) {
    try {
      work.run();
    } catch (Exception e) {
      wrong.incrementAndGet();
      System.err.println("train: " + e);
    }
  }

  /** The console, with all that its pages load. */
  private void pages() throws Exception {
    String page = get("/ui/", null).body();
    Matcher files =
        Pattern.compile("(?:src|href)=\"([^\":]+\\.(?:js|css|svg|ico))\"").matcher(page);
    while (files.find()) {
      expect(
          "GET /ui/…", get(URI.create(base + "/ui/").resolve(files.group(1)).getPath(), null), 200);
    }
    expect("GET /v3/api-docs", get("/v3/api-docs", null), 200);
  }

  private void work(String url) throws Exception {
    Agent polling = create("{\"name\":\"Polling\",\"delivery_mode\":\"poll\"}");
    Agent pushed =
        create(
            "{\"name\":\"Pushed\",\"delivery_mode\":\"push\",\"url\":\"%s\",\"parent_id\":\"%s\"}"
                .formatted(url, polling.id()));
    beat(pushed, "");
    WebSocket socket =
        HTTP.newWebSocketBuilder()
            .header("Authorization", "Bearer " + polling.token())
            .buildAsync(
                URI.create(base.replaceFirst("http", "ws") + "/ws"), new WebSocket.Listener() {})
            .get();
    while (goesOn.get()) {
      beat(polling, "");
      beat(polling, ",\"runtime_state\":\"wedged\",\"sample_error\":\"SDK init timeout\"");
      beat(polling, ",\"error_rate\":0.1,\"active_tasks\":0");
      String feed = "/workspaces/" + polling.id() + "/activity";
      expect(
          "append",
          post(feed, polling.token(), "{\"activity_type\":\"agent_log\",\"summary\":\"step\"}"),
          200);
      expect(
          "message to a feed",
          post("/workspaces/" + polling.id() + "/a2a", admin, message("hello")),
          200);
      HttpResponse<String> rows = get(feed + "?wait=1&type=a2a_receive", polling.token());
      expect("poll", rows, 200);
      expect(
          "notify",
          post("/workspaces/" + polling.id() + "/notify", polling.token(), "{\"message\":\"hi\"}"),
          200);
      expect("message", post("/workspaces/" + pushed.id() + "/a2a", admin, message("hello")), 200);
      delegate(polling, pushed);
      expect(
          "runtime event",
          post(
              "/workspaces/" + polling.id() + "/runtime-events",
              polling.token(),
              "{\"type\":\"RuntimeError\",\"payload\":{\"task_name\":\"t\",\"kind\":\"x\",\"message\":\"m\"}}"),
          200,
          202);
      for (String read : READS) {
        expect("GET " + read, get(read.formatted(polling.id()), admin), 200, 302, 303);
      }
    }
    socket.abort();
  }

  private void delegate(Agent caller, Agent callee) throws Exception {
    HttpResponse<String> begun =
        post(
            "/workspaces/" + caller.id() + "/delegate",
            caller.token(),
            "{\"target_id\":\"%s\",\"task\":\"count\"}".formatted(callee.id()));
    expect("delegate", begun, 200, 202);
    String path =
        "/workspaces/%s/delegations/%s?wait=10"
            .formatted(caller.id(), field(begun, "delegation_id"));
    expect("end of a delegation", get(path, caller.token()), 200);
  }

  private Agent create(String body) throws Exception {
    HttpResponse<String> created = post("/workspaces", admin, body);
    expect("create", created, 201);
    return new Agent(field(created, "id"), field(created, "auth_token"));
  }

  private void beat(Agent agent, String more) throws Exception {
    expect(
        "heartbeat",
        post(
            "/registry/heartbeat",
            agent.token(),
            "{\"workspace_id\":\"%s\"%s}".formatted(agent.id(), more)),
        200);
  }

  private static String message(String text) {
    return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"%s\"}]}}}"
        .formatted(text);
  }

  private static String field(HttpResponse<String> answer, String name) {
    Matcher fields = FIELD.matcher(answer.body());
    return Stream.iterate(fields, one -> one)
        .takeWhile(Matcher::find)
        .filter(one -> one.group(1).equals(name))
        .map(one -> one.group(2))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no " + name + " in " + answer.body()));
  }

  private HttpResponse<String> get(String path, String token) throws Exception {
    return HTTP.send(request(path, token).GET().build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String path, String token, String body) throws Exception {
    return HTTP.send(
        request(path, token).POST(HttpRequest.BodyPublishers.ofString(body)).build(),
        BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path, String token) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path)).timeout(LIMIT);
    return token == null ? request : request.header("Authorization", "Bearer " + token);
  }

  private void expect(String name, HttpResponse<String> answer, int... expected) {
    sent.merge(name, 1, Integer::sum);
    for (int one : expected) {
      if (answer.statusCode() == one) {
        return;
      }
    }
    if (wrong.incrementAndGet() < 10) {
      System.err.printf("train: %s → %d %.300s%n", name, answer.statusCode(), answer.body());
    }
  }
}

package dev.muster.testing;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An HTTP client that knows only the server's address, with methods for the common calls of agents.
 */
public final class TestClient {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final HttpClient HTTP =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();

  /** An answer; {@code body} is missing when it is not JSON. */
  public record Answer(int status, HttpHeaders headers, String text) {

    public JsonNode json() {
      return JSON.readTree(text);
    }

    /** A text field of the body, "" when there is none. */
    public String field(String name) {
      return json().path(name).asString("");
    }

    public String header(String name) {
      return headers.firstValue(name).orElse("");
    }

    /** The target of the Link header, which is the next page; "" when there is none. */
    public String next() {
      String link = header("Link");
      return link.isEmpty() ? "" : link.substring(1, link.indexOf('>'));
    }

    /**
     * Whether the server had been stopped for seconds, and refused the token of an agent (R1.6).
     */
    boolean isAfterAPause() {
      return isUndecided() && field("error").contains("credentials cannot be checked");
    }

    /** Whether the server could not tell at that moment (R0.6). */
    public boolean isUndecided() {
      return status == 503 && field("code").equals("UNAVAILABLE");
    }
  }

  /** A workspace that was created for a test, and its agent's token. */
  public record Agent(UUID id, String token) {}

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final String baseUrl;
  private final boolean isPatient;

  TestClient(String baseUrl) {
    this(baseUrl, false);
  }

  private TestClient(String baseUrl, boolean isPatient) {
    this.baseUrl = baseUrl;
    this.isPatient = isPatient;
  }

  /**
   * A client that sends a request again while the server cannot tell (R0.6), for up to a minute: a
   * busy machine may need longer for one than a request waits. For what prepares a test, and for
   * requests that are safe to repeat in tests of other things than 503.
   */
  public TestClient patient() {
    return new TestClient(baseUrl, true);
  }

  public String baseUrl() {
    return baseUrl;
  }

  public Answer get(String path, @Nullable String token, String... headers) {
    return send("GET", path, token, null, headers);
  }

  public Answer post(String path, @Nullable String token, String body, String... headers) {
    return send("POST", path, token, body, headers);
  }

  public Answer patch(String path, @Nullable String token, String body) {
    return send("PATCH", path, token, body);
  }

  public Answer delete(String path, @Nullable String token, String... headers) {
    return send("DELETE", path, token, null, headers);
  }

  /** {@code headers} are alternating names and values. */
  public Answer send(
      String method,
      String path,
      @Nullable String token,
      @Nullable String body,
      String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(baseUrl + path))
            .timeout(Duration.ofSeconds(30))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    Answer first = send(request.build());
    if (isPatient && first.isUndecided()) {
      return Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> send(request.build()), answer -> !answer.isUndecided());
    }
    return first.isAfterAPause() ? sendAfterAPause(request.build()) : first;
  }

  /** Nothing has been done yet for the request; the server needs a moment for the revocations. */
  private static Answer sendAfterAPause(HttpRequest request) {
    LockSupport.parkNanos(PAUSE.toNanos());
    return send(request);
  }

  private static Answer send(HttpRequest request) {
    try {
      HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
      return new Answer(response.statusCode(), response.headers(), response.body());
    } catch (IOException e) {
      throw new IllegalStateException(request.method() + " " + request.uri(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * Creates a workspace; {@code fields} are members of a JSON object, for example {@code
   * "parent_id":"…"}.
   */
  public Agent create(String name, String... fields) {
    StringBuilder body = new StringBuilder("{\"name\":\"" + name + "\"");
    for (String field : fields) {
      body.append(',').append(field);
    }
    Answer answer =
        patient().post("/workspaces", TestServer.ADMIN_TOKEN, body.append('}').toString());
    if (answer.status() != 201) {
      throw new AssertionError("not created: " + answer);
    }
    return new Agent(UUID.fromString(answer.field("id")), answer.field("auth_token"));
  }

  /** Creates a workspace and sends one heartbeat of its agent: it is online. */
  public Agent createOnline(String name, String... fields) {
    Agent agent = create(name, fields);
    heartbeat(agent);
    return agent;
  }

  /**
   * Sends a heartbeat of the agent, and as an agent does, again while the server cannot tell;
   * {@code fields} as in {@link #create}.
   */
  public Answer heartbeat(Agent agent, String... fields) {
    return patient().heartbeatOnce(agent, fields);
  }

  /** Sends a heartbeat in a test of what may keep the server from answering it. */
  public Answer heartbeatOnce(Agent agent, String... fields) {
    StringBuilder body = new StringBuilder("{\"workspace_id\":\"" + agent.id() + "\"");
    for (String field : fields) {
      body.append(',').append(field);
    }
    return post("/registry/heartbeat", agent.token(), body.append('}').toString());
  }

  /** The workspace as the admin reads it. */
  public JsonNode read(Agent agent) {
    return get("/workspaces/" + agent.id(), TestServer.ADMIN_TOKEN).json();
  }

  /**
   * The value of a series in {@code /metrics}, with its labels as printed; -1 when it is missing.
   */
  public double metric(String series) {
    return get("/metrics", null)
        .text()
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElse(-1);
  }

  /** The workspace's recorded events of a type, newest first. */
  public JsonNode events(UUID workspaceId, String type) {
    return get("/events/" + workspaceId + "?type=" + type, TestServer.ADMIN_TOKEN).json();
  }
}

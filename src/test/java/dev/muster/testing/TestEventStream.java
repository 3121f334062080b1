package dev.muster.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads server-sent events and keeps all of them. */
public final class TestEventStream implements AutoCloseable {

  /** One event; {@code id} is null for those without one. */
  public record Event(@Nullable Long id, JsonNode data) {

    public String type() {
      return data.path("type").asString();
    }
  }

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final HttpClient HTTP =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();

  private final List<Event> events = new CopyOnWriteArrayList<>();
  private final List<String> comments = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
  private final HttpResponse<InputStream> response;

  private TestEventStream(HttpRequest request) throws IOException, InterruptedException {
    response = HTTP.send(request, HttpResponse.BodyHandlers.ofInputStream());
    if (response.statusCode() == 200) {
      Thread.ofVirtual().start(this::read);
    }
  }

  /** {@code headers} are alternating names and values; returns when the response has begun. */
  public static TestEventStream open(
      TestClient server, String path, @Nullable String token, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.baseUrl() + path));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    try {
      return new TestEventStream(request.build());
    } catch (IOException e) {
      throw new IllegalStateException(path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public int status() {
    return response.statusCode();
  }

  public String header(String name) {
    return response.headers().firstValue(name).orElse("");
  }

  public List<Event> events() {
    return List.copyOf(events);
  }

  public List<Long> ids() {
    return events.stream().map(Event::id).filter(id -> id != null).toList();
  }

  public List<String> comments() {
    return List.copyOf(comments);
  }

  public Event await(Predicate<Event> fits) {
    return Awaitility.await()
        .atMost(Duration.ofSeconds(15))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> events.stream().filter(fits).findFirst(), Optional::isPresent)
        .orElseThrow();
  }

  public Event await(String type) {
    return await(event -> event.type().equals(type));
  }

  /** True when the server ended the response, false when the connection broke. */
  public boolean awaitEnd(Duration timeout) throws Exception {
    return ended.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() throws IOException {
    response.body().close();
  }

  private void read() {
    try (var lines =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      @Nullable Long id = null;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("id: ")) {
          id = Long.valueOf(line.substring(4));
        } else if (line.startsWith("data: ")) {
          events.add(new Event(id, JSON.readTree(line.substring(6))));
          id = null;
        } else if (line.startsWith(":")) {
          comments.add(line);
        } else if (!line.isEmpty() && !line.startsWith("retry: ")) {
          throw new AssertionError("not a line of an event stream: " + line);
        }
      }
      ended.complete(true);
    } catch (IOException e) {
      ended.complete(false);
    }
  }
}

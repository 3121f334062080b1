package dev.muster.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.time.Duration;

/** Requests of an operator to a {@link BenchProcess}; throws when one is not answered with 2xx. */
final class AdminClient {

  static final String TOKEN = "the-admin-token-of-the-bench";

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final HttpClient http = HttpClient.newHttpClient();
  private final String baseUrl;

  AdminClient(String baseUrl) {
    this.baseUrl = baseUrl;
  }

  /**
   * A response.
   *
   * @param ms milliseconds from the request until the whole body was there
   */
  @SuppressWarnings("ArrayRecordComponent") // measured and read, never compared
  record Timed(double ms, HttpHeaders headers, byte[] body) {}

  /** Returns the response to a GET, compressed as a browser gets it. */
  Timed get(String path) throws IOException, InterruptedException {
    return get(path, "gzip");
  }

  Timed get(String path, String encoding) throws IOException, InterruptedException {
    return send("GET", path, encoding, BodyPublishers.noBody());
  }

  Timed post(String path, String json) throws IOException, InterruptedException {
    return send("POST", path, "identity", BodyPublishers.ofString(json));
  }

  Timed patch(String path, String json) throws IOException, InterruptedException {
    return send("PATCH", path, "identity", BodyPublishers.ofString(json));
  }

  private Timed send(String method, String path, String encoding, BodyPublisher body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(baseUrl + path))
            .header("Authorization", "Bearer " + TOKEN)
            .header("Content-Type", "application/json")
            .header("Accept-Encoding", encoding)
            .timeout(TIMEOUT)
            .method(method, body)
            .build();
    long start = System.nanoTime();
    HttpResponse<byte[]> response = http.send(request, BodyHandlers.ofByteArray());
    double ms = (System.nanoTime() - start) / 1e6;
    if (response.statusCode() / 100 != 2) {
      throw new IllegalStateException(path + " was answered " + response.statusCode());
    }
    return new Timed(ms, response.headers(), response.body());
  }

  WebSocket openStream(String path, WebSocket.Listener listener) {
    return http.newWebSocketBuilder()
        .header("Authorization", "Bearer " + TOKEN)
        .buildAsync(URI.create(baseUrl.replaceFirst("^http", "ws") + path), listener)
        .join();
  }
}

package dev.muster.a2a;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Race;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Many concurrent large answers fit into the memory (R7.6, R0.7). */
@Slow
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class LargeAnswersTest {

  /** The full form: {@code -Dlarge.answers=64} on the command line of the tests' JVM. */
  private static final int MANY = Integer.getInteger("large.answers", 16);

  private static final byte[] ANSWER =
      ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"" + "x".repeat(20 << 20) + "\"}")
          .getBytes(StandardCharsets.UTF_8);

  private static final TestDatabase DATABASE = TestDatabases.create();

  @Test
  void comeAndAreStoredByAServerWithASmallHeap(@TempDir Path folder) throws IOException {
    Map<String, String> settings =
        Map.of(
            "ADMIN_TOKEN",
            ADMIN_TOKEN,
            "DATABASE_URL",
            DATABASE.url(),
            "AGENT_URL_ALLOW",
            "loopback",
            "JAVA_TOOL_OPTIONS",
            "-Xmx512m");
    try (TestPeer peer = TestPeer.start().usually(answering());
        ServerProcess server = ServerProcess.start(folder.resolve("home"), settings).awaitReady();
        HttpClient http = HttpClient.newHttpClient()) {
      Agent target =
          server
              .client()
              .createOnline(
                  "Called",
                  "\"delivery_mode\":\"push\"",
                  "\"url\":\"" + peer.url() + "\"",
                  "\"max_concurrent_tasks\":100");

      List<String> answers = Race.run(MANY, i -> answer(http, server, target, i));

      assertThat(answers).containsOnly("200 " + ANSWER.length);
      assertThat(peer.deliveries()).hasSize(MANY);
      assertThat(
              DATABASE.value(
                  """
                  SELECT count(*) FROM delivery_outcomes
                  WHERE state = 'answered' AND deliveries = 1 AND response_bytes = %d
                  """
                      .formatted(ANSWER.length)))
          .isEqualTo(Integer.toString(MANY));
      assertThat(server.client().get("/ready", null).status()).isEqualTo(200);
      assertThat(server.output()).doesNotContain("OutOfMemoryError");
    }
  }

  /** Sends the answer without a copy for each request. */
  private static PeerBehavior answering() {
    return exchange -> {
      exchange.receive();
      exchange.send(
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
              + ANSWER.length
              + "\r\n\r\n");
      exchange.send(ANSWER);
      return true;
    };
  }

  /** Returns the status and the number of bytes, which are discarded. */
  private static String answer(HttpClient http, ServerProcess server, Agent target, int n) {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(server.client().baseUrl() + ProxyClient.path(target.id())))
            .header("Authorization", "Bearer " + ADMIN_TOKEN)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(ProxyClient.message("m" + n, "hi")))
            .build();
    HttpResponse<InputStream> response =
        http.sendAsync(request, BodyHandlers.ofInputStream()).join();
    try (InputStream body = response.body()) {
      return response.statusCode() + " " + body.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package dev.muster.delegation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A wait for the end of a delegation lasts as long as the request asks (R8.6). */
@Slow
@Execution(ExecutionMode.CONCURRENT)
@Timeout(90)
class LongWaitTest {

  @Test
  void outlastsTheTimeoutOfTheContainer() throws Exception {
    try (TestServer server = TestServer.start()) {
      Delegations ledger = new Delegations(server);
      Agent team = ledger.team();
      Agent caller = ledger.polling(team);
      String id = ledger.delegate(caller, ledger.polling(team), "Do it.");

      HttpResponse<String> answer =
          get(
              server.client().baseUrl()
                  + ("/workspaces/" + caller.id() + "/delegations/" + id + "?wait=33"),
              caller.token());

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("\"status\":\"dispatched\"");
    }
  }

  private static HttpResponse<String> get(String url, String token)
      throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
          HttpRequest.newBuilder(URI.create(url))
              .timeout(Duration.ofSeconds(60))
              .header("Authorization", "Bearer " + token)
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }
}

package dev.muster.attack;

import dev.muster.attack.Connection.Answer;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Attacks by requests without a credential, or with an invalid one. */
final class AnonymousAttacks {

  /** Stands in query strings, which no log line may contain. */
  static final String IN_QUERIES = "a-secret-in-a-query-string";

  private static final int LIMIT_PER_MINUTE = 120;
  private static final int SLACK = 30;
  private static final Duration PAUSE_AFTER_REFUSAL = Duration.ofMillis(50);

  private AnonymousAttacks() {}

  static List<Attack> all() {
    return List.of(
        new Attack("metrics-loops", AnonymousAttacks::readMetrics),
        new Attack("api-description-languages", AnonymousAttacks::readDescription),
        new Attack("bad-http", AnonymousAttacks::speakBadHttp),
        new Attack("anonymous-check-access", AnonymousAttacks::checkAccess));
  }

  private static void readMetrics(AttackRun run) {
    byte[] request = Connection.request("GET", "/metrics", null, null);
    long start = System.nanoTime();
    run.repeat(
        16,
        () -> {
          Connection connection = run.connect();
          try {
            while (run.goesOn()) {
              int status = connection.exchange(request).status();
              run.count(String.valueOf(status));
              run.pause(status == 429 ? PAUSE_AFTER_REFUSAL : Duration.ZERO);
            }
          } finally {
            run.close(connection);
          }
        });
    run.atEnd(() -> {
      double minutes = (System.nanoTime() - start) / 60e9;
      run.expect(
          run.counted("200") <= LIMIT_PER_MINUTE * (1 + minutes) + SLACK,
          "the metrics are limited by network: " + run.counted("200") + " pages");
    });
    run.atEnd(() ->
        run.expect(
            !run.isAlone() || run.holdsSoon(() -> run.counted("429") > 0),
            "the metrics are limited by network"));
  }

  /** Requests each time a new language and a foreign host. */
  private static void readDescription(AttackRun run) {
    AtomicInteger number = new AtomicInteger();
    run.repeat(
        4,
        () -> {
          int n = number.incrementAndGet();
          String language = "Accept-Language: x" + n % 1000 + "-" + n + ", en;q=0.5";
          Answer plain =
              run.request(Connection.request("GET", "/v3/api-docs", null, null, language));
          Answer spoofed =
              run.request(
                  Connection.request(
                      "GET",
                      n % 2 == 0 ? "/v3/api-docs" : "/v3/api-docs/swagger-config",
                      null,
                      null,
                      language,
                      "X-Forwarded-Host: http://evil.example",
                      "X-Forwarded-Proto: gopher"));
          run.expect(
              plain.status() < 500 && spoofed.status() < 500,
              "the API description is no 5xx whatever the headers: " + spoofed.status());
          run.expect(!spoofed.body().contains("evil.example"), "no answer names a spoofed host");
        });
  }

  /** None of these is HTTP; the log must not contain their query strings. */
  private static void speakBadHttp(AttackRun run) {
    List<String> requests =
        List.of(
            "GET http://[/ws?token=%s HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /ws?token=%s HTTP/9.9\r\n\r\n",
            "GET /ws?token=%s HTTP/1.1\r\nHost: [/ws?token=%s]\r\n\r\n",
            "GET /ws?token=%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: -%s\r\n\r\n",
            "GET //[?token=%s HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "G@T /ws?token=%s HTTP/1.1\r\nHost: localhost\r\nBad Header: %s\r\n\r\n",
            "GET /%%zz?token=%s HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "\u0016\u0003\u0001%s\r\n\r\n");
    AtomicInteger next = new AtomicInteger();
    run.repeat(
        4,
        () -> {
          String request = requests.get(Math.floorMod(next.getAndIncrement(), requests.size()));
          Connection connection = run.connect();
          try {
            connection.send(request.replace("%s", IN_QUERIES).replace("%%", "%"));
            int status = connection.read().status();
            run.count(String.valueOf(status));
            run.expect(status < 500 || status == 505, "bad HTTP is the client's fault: " + status);
          } finally {
            run.close(connection);
          }
          run.pause(Duration.ofMillis(5));
        });
  }

  /**
   * Anonymous callers use up the limit of their network; valid credentials of the same network
   * still work.
   */
  private static void checkAccess(AttackRun run) {
    Agent good = run.workspace();
    Agent removed = run.workspace();
    run.client().delete("/workspaces/" + removed.id(), TestServer.ADMIN_TOKEN);
    byte[] anonymous = check(null, good);
    byte[] unknown = check("unknown-token-0123456789", good);
    run.repeat(
        8,
        () -> {
          run.request(anonymous);
          run.request(unknown);
          run.pause(Duration.ofMillis(5));
        });
    byte[] known = check(good.token(), good);
    byte[] revoked =
        Connection.request("GET", "/workspaces/" + removed.id() + "/tokens", removed.token(), null);
    run.repeat(
        1,
        () -> {
          run.pause(Duration.ofMillis(500));
          expectStatus(run, known, 200, "a valid credential passes beside anonymous callers");
          expectStatus(run, revoked, 401, "a revoked token gets 401 beside anonymous callers");
        });
    run.atEnd(() ->
        run.expect(
            run.holdsSoon(() -> run.counted("429") > 0),
            "anonymous callers are limited by network"));
  }

  private static byte[] check(@Nullable String token, Agent agent) {
    return Connection.request(
        "POST",
        "/registry/check-access",
        token,
        "{\"caller_id\":\"%s\",\"target_id\":\"%s\"}".formatted(agent.id(), UUID.randomUUID()));
  }

  /** Sends on a connection from the network of the anonymous callers. */
  private static void expectStatus(AttackRun run, byte[] request, int status, String promise)
      throws IOException {
    Connection connection = run.connect();
    try {
      int answered = connection.exchange(request).status();
      run.expect(answered == status, promise + ": " + answered);
    } finally {
      run.close(connection);
    }
  }
}

package dev.muster.attack;

import dev.muster.attack.Connection.Answer;
import dev.muster.testing.TestClient.Agent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Attacks by the requests of one workspace. */
final class WorkspaceAttacks {

  private static final int LIMIT_PER_MINUTE = 600;
  private static final int SLACK = 60;
  private static final int ROW_BYTES = 500_000;
  private static final long MAX_FEED_BYTES = 600L << 20;

  private WorkspaceAttacks() {}

  static List<Attack> all() {
    return List.of(
        new Attack("minted-tokens", WorkspaceAttacks::mintTokens),
        new Attack("filled-feed", WorkspaceAttacks::fillFeed));
  }

  /** Mints tokens, and sends as many requests with each as it allows. */
  private static void mintTokens(AttackRun run) {
    Agent attacker = run.workspace();
    String tokens = "/workspaces/" + attacker.id() + "/tokens";
    long start = System.nanoTime();
    run.repeat(
        6,
        () -> {
          Answer minted = run.request(Connection.request("POST", tokens, attacker.token(), null));
          if (minted.status() != 201) {
            run.pause(Duration.ofMillis(100));
            return;
          }
          String token = minted.body().replaceFirst(".*\"auth_token\":\"([^\"]+)\".*", "$1");
          byte[] read = Connection.request("GET", "/workspaces/" + attacker.id(), token, null);
          Connection connection = run.connect();
          try {
            int status = 200;
            for (int i = 0; i < 2 * LIMIT_PER_MINUTE && status == 200 && run.goesOn(); i++) {
              status = connection.exchange(read).status();
              run.count(String.valueOf(status));
            }
          } finally {
            run.close(connection);
          }
        });
    run.atEnd(() -> {
      double minutes = (System.nanoTime() - start) / 60e9;
      int passed = run.counted("200") + run.counted("201");
      run.expect(
          passed <= LIMIT_PER_MINUTE * (1 + minutes) + SLACK,
          "tokens do not multiply the rate limit: " + passed + " requests passed");
    });
    run.atEnd(() ->
        run.expect(
            !run.isAlone() || run.holdsSoon(() -> run.counted("429") > 0),
            "a workspace with many tokens is limited"));
  }

  /** Appends rows of half a megabyte until the feed is full. */
  private static void fillFeed(AttackRun run) {
    Agent attacker = run.workspace();
    byte[] append =
        Connection.request(
            "POST",
            "/workspaces/" + attacker.id() + "/activity",
            attacker.token(),
            "{\"activity_type\":\"agent_log\",\"request_body\":{\"text\":\"%s\"}}"
                .formatted("a".repeat(ROW_BYTES)));
    AtomicLong sent = new AtomicLong();
    run.repeat(
        2,
        () -> {
          if (sent.addAndGet(ROW_BYTES) > MAX_FEED_BYTES) {
            run.pause(Duration.ofSeconds(1));
            return;
          }
          Answer answer = run.request(append);
          run.pause(Duration.ofMillis(answer.status() == 200 ? 200 : 1000));
        });
  }
}

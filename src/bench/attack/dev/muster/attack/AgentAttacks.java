package dev.muster.attack;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.PeerExchange;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Attacks with the attacker's own agents, which answer in harmful ways. */
final class AgentAttacks {

  private static final int MIB = 1 << 20;
  private static final int PROMISED_MIB = 64;
  private static final int SENT_MIB = 34;
  private static final int LINE_MIB = 16;
  private static final int PIECES_PER_MIB = 4;
  private static final int ANSWER_OF_OTHERS_BYTES = 4 * MIB;
  private static final int PAUSE_MS = 250;
  private static final double MIN_INTENSITY = 0.25;
  private static final int MAX_ANSWER_S = 15;

  /** With {@link #TASKS} attempts each, these are more than may begin at once. */
  private static final int HUNG = 35;

  private static final int TASKS = 8;
  private static final byte[] PIECE = piece();

  private AgentAttacks() {}

  static List<Attack> all() {
    return List.of(
        new Attack("large-answers", AgentAttacks::answerMuchSlowly),
        new Attack("endless-event-lines", AgentAttacks::streamOneLine),
        new Attack("negative-content-lengths", AgentAttacks::answerWithNegativeLengths),
        new Attack("abandoned-waits", AgentAttacks::abandonWaits),
        Attack.alone("hung-agents", AgentAttacks::hang));
  }

  private static byte[] piece() {
    byte[] piece = new byte[MIB / PIECES_PER_MIB];
    Arrays.fill(piece, (byte) 'a');
    return piece;
  }

  /** Ten agents announce 64 MiB, send 34 and then drip; their callers disconnect. */
  private static void answerMuchSlowly(AttackRun run) throws IOException {
    PeerBehavior drip =
        exchange -> {
          exchange.receive();
          exchange.send(
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n\""
                  .formatted(PROMISED_MIB * MIB));
          send(exchange, SENT_MIB, Duration.ZERO);
          while (!exchange.awaitRelease(Duration.ofMillis(500))) {
            exchange.send("a");
          }
          return false;
        };
    Agent attacker = run.workspace();
    String parent = "\"parent_id\":\"" + attacker.id() + "\"";
    for (int i = 0; i < 10; i++) {
      Agent target = run.pushWorkspace(drip, parent);
      run.repeat(
          1,
          () -> {
            Connection connection = run.connect();
            connection.send(message(attacker, target, "message/send", "X-Timeout: 86400"));
            run.pause(Duration.ofSeconds(1));
            run.count(connection.hasAnswer() ? "" + connection.read().status() : "abandoned");
            run.close(connection);
            run.pause(Duration.ofSeconds(10));
          });
    }
    askForALargeAnswer(run);
  }

  /** A large answer between two unrelated workspaces. */
  private static void askForALargeAnswer(AttackRun run) throws IOException {
    Agent caller = run.workspace();
    PeerBehavior large =
        PeerBehavior.answer(
            200,
            "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{\"kind\":\"message\",\"text\":\"%s\"}}"
                .formatted("a".repeat(ANSWER_OF_OTHERS_BYTES)));
    Agent callee = run.pushWorkspace(large, "\"parent_id\":\"" + caller.id() + "\"");
    CompletableFuture<Void> gotOne = new CompletableFuture<>();
    run.repeat(
        1,
        () -> {
          run.pause(Duration.ofSeconds(2));
          Answer answer =
              run.client()
                  .post(
                      "/workspaces/" + callee.id() + "/a2a",
                      caller.token(),
                      send("message/send"),
                      "X-Timeout",
                      "20");
          if (answer.status() == 200) {
            gotOne.complete(null);
          } else if (run.goesOn()) {
            run.expect(
                false, "an unrelated pair gets its large answer: %.200s".formatted(answer.text()));
          }
        });
    run.atEnd(() -> run.expect(isDoneSoon(gotOne), "an unrelated pair gets its large answer"));
  }

  private static boolean isDoneSoon(CompletableFuture<Void> future) {
    return future
        .thenApply(_ -> true)
        .completeOnTimeout(false, MAX_ANSWER_S, TimeUnit.SECONDS)
        .join();
  }

  /** 45 anonymously registered agents stream 16 MiB as one line without an end. */
  private static void streamOneLine(AttackRun run) throws Exception {
    Duration rest = Duration.ofMillis((long) (PAUSE_MS / Math.max(run.intensity(), MIN_INTENSITY)));
    PeerBehavior stream =
        exchange -> {
          exchange.receive();
          exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ");
          send(exchange, LINE_MIB, rest);
          while (!exchange.awaitRelease(Duration.ofSeconds(1))) {
            exchange.send("a");
          }
          return false;
        };
    for (int i = 0; i < 45; i++) {
      Agent attacker = register(run, run.agent(stream));
      run.repeat(
          1,
          () -> {
            Connection connection = run.connect();
            try {
              connection.send(message(attacker, attacker, "message/stream"));
              connection.drain(status -> run.count(String.valueOf(status)));
              run.pause(Duration.ofSeconds(1));
            } finally {
              run.close(connection);
            }
          });
    }
  }

  /** Registers without a credential. */
  private static Agent register(AttackRun run, TestPeer agent) throws IOException {
    UUID id = UUID.randomUUID();
    String body =
        "{\"id\":\"%s\",\"agent_card\":{},\"delivery_mode\":\"push\",\"url\":\"%s\"}"
            .formatted(id, agent.url());
    Connection.Answer answer =
        run.request(Connection.request("POST", "/registry/register", null, body));
    if (answer.status() != 200) {
      throw new AssertionError("not registered: " + answer);
    }
    String token = answer.body().replaceFirst(".*\"auth_token\":\"([^\"]+)\".*", "$1");
    return new Agent(id, token);
  }

  /** An answer with a negative length is malformed, and no error of the server. */
  private static void answerWithNegativeLengths(AttackRun run) throws IOException {
    Agent attacker =
        run.pushWorkspace(
            PeerBehavior.sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}"));
    run.repeat(
        2,
        () -> {
          Connection.Answer answer = run.request(message(attacker, attacker, "message/send"));
          run.expect(answer.status() != 500, "a malformed answer is a 502: " + answer.status());
          run.pause(Duration.ofMillis(500));
        });
    run.atEnd(() ->
        run.expect(
            !run.isAlone() || run.holdsSoon(() -> run.counted("502") > 0),
            "a malformed answer is a 502"));
  }

  /** Sends messages to a poll agent with waits of a minute, and disconnects at once. */
  private static void abandonWaits(AttackRun run) {
    Agent sender = run.workspace();
    Agent target = run.workspace("\"parent_id\":\"" + sender.id() + "\"");
    run.repeat(
        4,
        () -> {
          Connection connection = run.connect();
          connection.send(message(sender, target, "message/send", "X-Timeout: 60"));
          run.pause(Duration.ofMillis(200));
          run.count(connection.hasAnswer() ? "" + connection.read().status() : "abandoned");
          run.close(connection);
        });
  }

  /** Agents take the queued messages of their parent, and never answer. */
  private static void hang(AttackRun run) throws IOException {
    Agent sender = run.workspace();
    String parent = "\"parent_id\":\"" + sender.id() + "\"";
    String url = "\"url\":\"" + run.agent(PeerBehavior.silence()).url() + "\"";
    String tasks = "\"max_concurrent_tasks\":" + TASKS;
    for (int i = 0; i < HUNG; i++) {
      Agent target = run.workspace(parent, url, tasks, "\"delivery_mode\":\"push\"");
      run.client().heartbeat(target, "\"active_tasks\":" + TASKS);
      for (int n = 0; n < TASKS; n++) {
        run.request(message(sender, target, "message/send"));
      }
      run.client().heartbeat(target, "\"active_tasks\":0");
    }
    queueForAHealthyAgent(run);
    // what is left of their queues is no part of the next attack
    String pause = "/workspaces/" + sender.id() + "/pause?cascade=true";
    run.atEnd(() ->
        run.expect(
            run.client().post(pause, TestServer.ADMIN_TOKEN, "").status() == 200,
            "hung agents can be paused"));
  }

  /** An unrelated agent gets a queued message as soon as it has a free slot. */
  private static void queueForAHealthyAgent(AttackRun run) throws IOException {
    TestPeer peer = run.agent(PeerBehavior.echo());
    Agent sender = run.workspace();
    Agent target =
        run.workspace(
            "\"parent_id\":\"" + sender.id() + "\"",
            "\"url\":\"" + peer.url() + "\"",
            "\"max_concurrent_tasks\":1",
            "\"delivery_mode\":\"push\"");
    run.repeat(
        1,
        () -> {
          int before = peer.deliveries().size();
          run.client().heartbeat(target, "\"active_tasks\":1");
          run.request(message(sender, target, "message/send"));
          run.client().heartbeat(target, "\"active_tasks\":0");
          boolean isDelivered = run.holdsSoon(() -> peer.deliveries().size() > before);
          run.expect(isDelivered || !run.goesOn(), "an unrelated agent gets its queued message");
          run.pause(Duration.ofMillis(500));
        });
    run.atEnd(() ->
        run.expect(
            run.holdsSoon(() -> !peer.deliveries().isEmpty()),
            "an unrelated agent gets its queued message"));
  }

  private static void send(PeerExchange exchange, int mib, Duration rest) throws IOException {
    for (int i = 0; i < mib * PIECES_PER_MIB; i++) {
      exchange.send(PIECE);
      if (rest.isPositive() && exchange.awaitRelease(rest)) {
        return;
      }
    }
  }

  private static byte[] message(Agent from, Agent to, String method, String... headers) {
    return Connection.request(
        "POST", "/workspaces/" + to.id() + "/a2a", from.token(), send(method), headers);
  }

  private static String send(String method) {
    return "{\"method\":\"%s\",\"params\":{\"message\":{\"messageId\":\"%s\",\"content\":\"hello\"}}}"
        .formatted(method, UUID.randomUUID());
  }
}

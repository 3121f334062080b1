package dev.muster.attack;

import dev.muster.attack.Connection.Answer;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.TestClient.Agent;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** Attacks by request bodies that are large, slow, or only announced. */
final class BodyAttacks {

  private static final int MIB = 1 << 20;
  private static final int MAX_BYTES = 16 * MIB;
  private static final int LARGE_BYTES = 15 * MIB;
  private static final int SESSIONS = 10;
  private static final int BODIES_OF_A_SESSION = 45;
  private static final int KEPT_BYTES = 64 << 10;
  private static final Duration MAX_REFUSAL_TIME = Duration.ofSeconds(40);

  private BodyAttacks() {}

  static List<Attack> all() {
    return List.of(
        new Attack("declared-bodies", BodyAttacks::declare),
        new Attack("dripped-bodies", BodyAttacks::drip),
        new Attack("sessions-with-slow-bodies", BodyAttacks::dripInSessions),
        new Attack("dripped-refused-bodies", BodyAttacks::dripAfterRefusal),
        new Attack("large-messages", BodyAttacks::sendLargeMessages),
        new Attack("abandoned-large-messages", BodyAttacks::abandonLargeMessages));
  }

  /** 32 bodies of 16 MiB are announced, and one byte of each is sent. */
  private static void declare(AttackRun run) {
    Agent attacker = run.workspace();
    String head = a2a(attacker, attacker, MAX_BYTES);
    run.repeat(
        32,
        () -> {
          Connection connection = run.connect();
          try {
            connection.send(head + "{");
            run.count(String.valueOf(connection.read().status()));
            run.pause(Duration.ofMillis(200));
          } finally {
            run.close(connection);
          }
        });
  }

  /** Sends heartbeats of 60,000 bytes, one byte every 100 ms. */
  private static void drip(AttackRun run) {
    Agent attacker = run.workspace();
    String head =
        Connection.head("POST", "/registry/heartbeat", attacker.token()) + length(60_000) + "{";
    run.repeat(
        64,
        () -> {
          Connection connection = run.connect();
          try {
            connection.send(head);
            while (!connection.hasAnswer() && run.pause(Duration.ofMillis(100))) {
              connection.send(" ");
            }
            if (run.goesOn()) {
              run.count(String.valueOf(connection.read().status()));
            }
          } finally {
            run.close(connection);
          }
        });
  }

  /**
   * Ten sessions of one token send the first 64 KiB of messages, so that these fill the memory that
   * is kept for the beginning of each body to the last byte.
   */
  private static void dripInSessions(AttackRun run) throws IOException {
    Agent attacker = run.workspace();
    String path = "/workspaces/" + attacker.id() + "/a2a";
    for (int n = 0; n < SESSIONS; n++) {
      String beginning =
          Connection.head("POST", path, null, signIn(run, attacker, n))
              + length(2 * KEPT_BYTES)
              + "{"
              + " ".repeat(KEPT_BYTES);
      List<Connection> open = new ArrayList<>();
      run.repeat(
          1,
          () -> {
            while (open.size() < BODIES_OF_A_SESSION && run.goesOn()) {
              Connection connection = run.connect();
              open.add(connection);
              connection.send(beginning);
            }
            for (Connection connection : List.copyOf(open)) {
              if (connection.hasAnswer()) {
                open.remove(connection);
                run.count(String.valueOf(connection.read().status()));
                run.close(connection);
              }
            }
            run.pause(Duration.ofSeconds(1));
          });
    }
    run.atEnd(() ->
        run.expect(
            !run.isAlone() || run.holdsSoon(() -> run.counted("503") > 0),
            "the bodies of all sessions have one share"));
  }

  /** Returns the headers of a new session. */
  private static String[] signIn(AttackRun run, Agent agent, int number) throws IOException {
    String body = "{\"token\":\"%s\",\"name\":\"page %d\"}".formatted(agent.token(), number);
    Answer answer = run.request(Connection.request("POST", "/console/session", null, body));
    if (answer.status() != 201) {
      throw new AssertionError("not signed in: " + answer);
    }
    String key = answer.body().replaceFirst(".*\"page_key\":\"([^\"]+)\".*", "$1");
    String cookie = answer.header("set-cookie").replaceFirst(";.*", "");
    return new String[] {"Cookie: " + cookie, "X-Muster-Page: " + key};
  }

  /** Continues to send a body that was refused for its length, a byte each second. */
  private static void dripAfterRefusal(AttackRun run) {
    Agent attacker = run.workspace();
    String head =
        Connection.head("POST", "/registry/heartbeat", attacker.token())
            + length(LARGE_BYTES)
            + "{";
    run.repeat(
        16,
        () -> {
          Connection connection = run.connect();
          long start = System.nanoTime();
          try {
            connection.send(head);
            run.count(String.valueOf(connection.read().status()));
            while (run.pause(Duration.ofSeconds(1))) {
              run.expect(
                  System.nanoTime() - start < MAX_REFUSAL_TIME.toNanos(),
                  "a refused body is not read for more than 40 s");
              connection.send(" ");
            }
          } finally {
            run.close(connection);
          }
        });
  }

  /** Two workspaces send messages of 15 MiB to a poll agent. */
  private static void sendLargeMessages(AttackRun run) {
    String parent = "\"parent_id\":\"" + run.workspace().id() + "\"";
    Agent target = run.workspace(parent);
    for (int i = 0; i < 2; i++) {
      Agent sender = run.workspace(parent);
      AtomicInteger left = new AtomicInteger(mostMessages(run));
      run.repeat(
          1,
          () -> {
            if (left.getAndDecrement() <= 0) {
              run.pause(Duration.ofSeconds(1));
              return;
            }
            Connection connection = run.connect();
            try {
              sendLarge(connection, sender, target);
              Answer answer = connection.read();
              run.count(String.valueOf(answer.status()));
              run.pause(Duration.ofMillis(500));
            } finally {
              run.close(connection);
            }
          });
    }
  }

  /**
   * Sends 14 messages of 15 MiB to agents that do not read; the clients disconnect and send again.
   */
  private static void abandonLargeMessages(AttackRun run) throws IOException {
    PeerBehavior deaf = PeerBehavior.deafness();
    Agent sender = run.workspace();
    String parent = "\"parent_id\":\"" + sender.id() + "\"";
    for (int i = 0; i < 14; i++) {
      Agent target = run.pushWorkspace(deaf, parent);
      run.repeat(
          1,
          () -> {
            Connection connection = run.connect();
            try {
              sendLarge(connection, sender, target);
              run.count("sent");
              run.pause(Duration.ofSeconds(3));
              run.count(connection.hasAnswer() ? "" + connection.read().status() : "abandoned");
            } finally {
              run.close(connection);
            }
          });
    }
  }

  /** Bounds the messages, so that the disk does not become the bottleneck. */
  private static int mostMessages(AttackRun run) {
    return run.time().compareTo(Duration.ofMinutes(1)) < 0 ? 10 : 40;
  }

  private static void sendLarge(Connection connection, Agent sender, Agent target)
      throws IOException {
    String before =
        "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"%s\",\"content\":\""
            .formatted(UUID.randomUUID());
    String after = "\"}}}";
    connection.send(a2a(sender, target, before.length() + LARGE_BYTES + after.length()));
    connection.send(before);
    String piece = "a".repeat(MIB);
    for (int i = 0; i < LARGE_BYTES / MIB; i++) {
      connection.send(piece);
    }
    connection.send(after);
  }

  private static String a2a(Agent sender, Agent target, int bytes) {
    return Connection.head("POST", "/workspaces/" + target.id() + "/a2a", sender.token())
        + length(bytes);
  }

  private static String length(int bytes) {
    return "Content-Length: " + bytes + "\r\n\r\n";
  }
}

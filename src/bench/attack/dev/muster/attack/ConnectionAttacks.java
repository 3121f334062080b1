package dev.muster.attack;

import dev.muster.testing.TestClient.Agent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Attacks by connections that are held open, by sending slowly or by not reading. */
final class ConnectionAttacks {

  private static final int IDLE = 500;
  private static final int SLOW_HEADERS = 300;
  private static final int UNREAD = 50;
  private static final int REQUESTS_UNREAD = 200;
  private static final int STREAMS = 80;
  private static final int POLLS = 400;

  private ConnectionAttacks() {}

  static List<Attack> all() {
    return List.of(
        new Attack("idle-connections", ConnectionAttacks::hold),
        new Attack("slow-headers", ConnectionAttacks::writeHeadersSlowly),
        new Attack("unread-answers", ConnectionAttacks::readNothing),
        new Attack("many-streams", ConnectionAttacks::openStreams),
        new Attack("parked-polls", ConnectionAttacks::parkPolls));
  }

  private static void hold(AttackRun run) {
    AtomicInteger left = new AtomicInteger(IDLE);
    run.repeat(
        1,
        () -> {
          if (left.getAndDecrement() > 0) {
            run.connect();
            run.count("opened");
          } else {
            run.pause(Duration.ofSeconds(1));
          }
        });
  }

  /** Sends one byte on each connection in turn, of headers that never end. */
  private static void writeHeadersSlowly(AttackRun run) {
    List<Connection> open = new ArrayList<>();
    run.repeat(
        1,
        () -> {
          while (open.size() < SLOW_HEADERS) {
            Connection connection = run.connect();
            connection.send("GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
            run.count("opened");
            open.add(connection);
          }
          for (Connection connection : List.copyOf(open)) {
            try {
              connection.send("a");
            } catch (IOException closed) {
              run.count("closed by the server");
              run.close(connection);
              open.remove(connection);
            }
          }
          run.pause(Duration.ofMillis(500));
        });
  }

  /** Requests the API description many times on each connection and reads none of the answers. */
  private static void readNothing(AttackRun run) {
    byte[] requests =
        new String(Connection.request("GET", "/v3/api-docs", null, null), StandardCharsets.US_ASCII)
            .repeat(REQUESTS_UNREAD)
            .getBytes(StandardCharsets.US_ASCII);
    AtomicInteger left = new AtomicInteger(UNREAD);
    run.repeat(
        1,
        () -> {
          if (left.getAndDecrement() > 0) {
            run.connect().send(requests);
            run.count("opened");
          } else {
            run.pause(Duration.ofSeconds(1));
          }
        });
  }

  /** Opens more event streams than one workspace may have. */
  private static void openStreams(AttackRun run) {
    Agent attacker = run.workspace();
    byte[] request =
        Connection.request(
            "GET", "/workspaces/" + attacker.id() + "/events/stream", attacker.token(), null);
    AtomicInteger left = new AtomicInteger(STREAMS);
    run.repeat(
        1,
        () -> {
          if (left.getAndDecrement() > 0) {
            run.count(String.valueOf(run.connect().exchange(request).status()));
          } else {
            run.pause(Duration.ofSeconds(1));
          }
        });
    run.atEnd(() ->
        run.expect(
            !run.isAlone() || run.holdsSoon(() -> run.counted("429") > 0),
            "one workspace's streams are bounded"));
  }

  /** Starts more long polls of one workspace than it may hold. */
  private static void parkPolls(AttackRun run) {
    Agent attacker = run.workspace();
    byte[] request =
        Connection.request(
            "GET",
            "/workspaces/" + attacker.id() + "/activity?type=a2a_receive&wait=60",
            attacker.token(),
            null);
    Queue<Connection> open = new ConcurrentLinkedQueue<>();
    AtomicInteger left = new AtomicInteger(POLLS);
    run.repeat(
        1,
        () -> {
          if (left.getAndDecrement() > 0) {
            Connection connection = run.connect();
            connection.send(request);
            open.add(connection);
          } else {
            run.pause(Duration.ofSeconds(1));
          }
        });
    run.atEnd(() ->
        run.expect(
            !run.isAlone() || run.holdsSoon(() -> refused(open) > 0),
            "one workspace's waiting polls are bounded"));
  }

  /** Counts those that were answered at once. */
  private static int refused(Queue<Connection> open) throws IOException {
    int refused = 0;
    for (Connection connection : open) {
      if (connection.hasAnswer() && connection.read().status() == 429) {
        refused++;
      }
    }
    return refused;
  }
}

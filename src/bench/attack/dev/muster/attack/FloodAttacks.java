package dev.muster.attack;

import dev.muster.testing.TestClient.Agent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Attacks by connections that send without a pause, and read the answers. */
final class FloodAttacks {

  private static final int BYTES_PER_SECOND = 500_000;
  private static final int CHUNK_BYTES = 8_000;

  private static final byte[] EMPTY_TEXT = frame(0x81);
  private static final byte[] EMPTY_PING = frame(0x89);
  private static final byte[] FIRST_OF_MANY = frame(0x01);
  private static final byte[] CONTINUATION = frame(0x00);

  private FloodAttacks() {}

  static List<Attack> all() {
    return List.of(
        new Attack("pipelined-health-2", run -> pipeline(run, 2, "/health")),
        new Attack("pipelined-health-16", run -> pipeline(run, 16, "/health")),
        new Attack("pipelined-404-2", run -> pipeline(run, 2, "/no/such/path")),
        new Attack("pipelined-404-16", run -> pipeline(run, 16, "/no/such/path")),
        new Attack("websocket-texts", run -> frames(run, EMPTY_TEXT, EMPTY_TEXT)),
        new Attack("websocket-pings", run -> frames(run, EMPTY_PING, EMPTY_PING)),
        new Attack("websocket-continuations", run -> frames(run, FIRST_OF_MANY, CONTINUATION)));
  }

  private static void pipeline(AttackRun run, int connections, String path) {
    byte[] request = Connection.request("GET", path, null, null);
    run.repeat(
        connections,
        () -> {
          Connection connection = run.connect();
          try {
            read(run, connection);
            flood(run, connection, request);
          } finally {
            run.close(connection);
          }
        });
  }

  /** Two sockets of one workspace. */
  private static void frames(AttackRun run, byte[] first, byte[] frame) {
    Agent attacker = run.workspace();
    run.repeat(
        2,
        () -> {
          Connection connection = run.connect();
          try {
            connection.send(handshake(attacker));
            int status = connection.read().status();
            run.count(String.valueOf(status));
            if (status != 101) {
              throw new IOException("no WebSocket");
            }
            read(run, connection);
            connection.send(first);
            flood(run, connection, frame);
          } finally {
            run.close(connection);
          }
        });
  }

  private static String handshake(Agent attacker) {
    return Connection.head(
            "GET",
            "/ws",
            attacker.token(),
            "X-Workspace-ID: " + attacker.id(),
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
        + "\r\n";
  }

  /** An empty frame, masked with zeros, as a client must mask it. */
  private static byte[] frame(int first) {
    return new byte[] {(byte) first, (byte) 0x80, 0, 0, 0, 0};
  }

  private static void read(AttackRun run, Connection connection) {
    Thread.ofPlatform()
        .daemon()
        .name("attack")
        .start(() -> {
          try {
            connection.drain(status -> run.count(String.valueOf(status)));
          } catch (IOException closed) {
            // closed by either end: the writer notices it too
          }
        });
  }

  private static void flood(AttackRun run, Connection connection, byte[] unit) throws IOException {
    int units = Math.max(1, CHUNK_BYTES / unit.length);
    String one = new String(unit, StandardCharsets.ISO_8859_1);
    byte[] chunk = one.repeat(units).getBytes(StandardCharsets.ISO_8859_1);
    long nanosEach = (long) (1e9 * chunk.length / (BYTES_PER_SECOND * run.intensity()));
    long due = System.nanoTime();
    while (run.goesOn()) {
      connection.send(chunk);
      due = Math.max(due + nanosEach, System.nanoTime() - nanosEach);
      LockSupport.parkNanos(due - System.nanoTime());
    }
  }
}

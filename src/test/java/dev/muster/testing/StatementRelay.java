package dev.muster.testing;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * A wire to PostgreSQL that reads the statements it carries (frontend messages of protocol 3.0). A
 * test learns which statements a request sends, and has some of them never reach the database.
 */
public final class StatementRelay implements AutoCloseable {

  private static final int PROTOCOL_3 = 3 << 16;

  private final ServerSocket listener;
  private final int targetPort;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Set<String> sent = ConcurrentHashMap.newKeySet();
  private final Set<String> stalled = ConcurrentHashMap.newKeySet();
  private volatile Stall stall = new Stall(Set.of());

  /** Statements that are held, and what lets them go. */
  private record Stall(Set<String> statements, CountDownLatch over) {
    Stall(Set<String> statements) {
      this(statements, new CountDownLatch(1));
    }
  }

  public StatementRelay(int targetPort) throws IOException {
    this.targetPort = targetPort;
    this.listener = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  /**
   * The different statements that passed since the last call, each with its parameters as marks.
   */
  public Set<String> takeSent() {
    Set<String> taken = new LinkedHashSet<>(sent);
    sent.removeAll(taken);
    return taken;
  }

  /**
   * From now on a connection on which one of these statements is sent stands still before it: the
   * database sees neither the statement nor anything after it.
   */
  public void stall(Collection<String> statements) {
    stalled.clear();
    stall = new Stall(Set.copyOf(statements));
  }

  /** Which of them were sent since. */
  public Set<String> stalled() {
    return Set.copyOf(stalled);
  }

  /** Cuts the connections that stand still; from now on all statements pass. */
  public void release() {
    Stall last = stall;
    stall = new Stall(Set.of());
    last.over.countDown();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    release();
    open.forEach(StatementRelay::closeQuietly);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), targetPort);
        open.add(client);
        open.add(server);
        Thread.ofVirtual().start(() -> carry(client, server));
        Thread.ofVirtual().start(() -> carryAnswers(server, client));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void carryAnswers(Socket server, Socket client) {
    try (server;
        client) {
      server.getInputStream().transferTo(client.getOutputStream());
    } catch (IOException e) {
      // one side is gone, and with it the other
    }
  }

  private void carry(Socket client, Socket server) {
    Map<String, String> prepared = new HashMap<>();
    try (client;
        server) {
      var in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
      var out = new DataOutputStream(new BufferedOutputStream(server.getOutputStream()));
      carryBeginning(in, out);
      while (true) {
        int type = in.read();
        if (type < 0) {
          return;
        }
        byte[] body = body(in, in.readInt());
        if (!passes(statement((char) type, body, prepared))) {
          return;
        }
        out.writeByte(type);
        write(out, body, in);
      }
    } catch (IOException e) {
      // one side is gone, and with it the other
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The messages without a type: requests for encryption, to cancel, and to begin. */
  private static void carryBeginning(DataInputStream in, DataOutputStream out) throws IOException {
    int code;
    do {
      byte[] body = body(in, in.readInt());
      code = ByteBuffer.wrap(body).getInt();
      write(out, body, in);
    } while (code >> 16 != PROTOCOL_3 >> 16);
  }

  private static byte[] body(DataInputStream in, int length) throws IOException {
    byte[] body = new byte[length - Integer.BYTES];
    in.readFully(body);
    return body;
  }

  private static void write(DataOutputStream out, byte[] body, DataInputStream in)
      throws IOException {
    out.writeInt(body.length + Integer.BYTES);
    out.write(body);
    if (in.available() == 0) {
      out.flush();
    }
  }

  /** The statement that is about to be run, or "" for a message that runs none. */
  private static String statement(char type, byte[] body, Map<String, String> prepared) {
    String[] texts = new String(body, StandardCharsets.UTF_8).split("\0", 3);
    return switch (type) {
      case 'Q' -> texts[0];
      case 'P' -> {
        prepared.put(texts[0], texts[1]);
        yield "";
      }
      case 'B' -> prepared.getOrDefault(texts[1], "");
      default -> "";
    };
  }

  /** Waits where it has to; whether the message is to go on. */
  private boolean passes(String statement) throws InterruptedException {
    if (statement.isEmpty()) {
      return true;
    }
    sent.add(statement);
    Stall now = stall;
    if (!now.statements.contains(statement)) {
      return true;
    }
    stalled.add(statement);
    now.over.await();
    return false;
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is gone either way
    }
  }
}

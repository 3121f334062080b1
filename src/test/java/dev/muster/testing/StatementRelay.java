package dev.muster.testing;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
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
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A wire to PostgreSQL that reads the statements it carries (frontend messages of protocol 3.0). A
 * test learns which statements a request sends, and stops a connection before one of them reaches
 * the database, or before its answer comes back.
 */
public final class StatementRelay implements AutoCloseable {

  private static final int PROTOCOL_3 = 3 << 16;

  private final ServerSocket listener;
  private final int targetPort;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Set<String> sent = ConcurrentHashMap.newKeySet();
  private volatile Hold hold = Hold.NONE;

  /** Where a connection stops. */
  public enum Side {
    BEFORE_STATEMENT,
    BEFORE_ANSWER
  }

  /** Statements at which connections stop, at each or at the first alone. */
  private static final class Hold {

    static final Hold NONE = new Hold(Set.of(), Side.BEFORE_STATEMENT, null);

    final Set<String> statements;
    final Side side;
    final @Nullable Runnable atFirst;
    final Set<String> reached = ConcurrentHashMap.newKeySet();
    final AtomicBoolean isUsed = new AtomicBoolean();
    final CountDownLatch over = new CountDownLatch(1);
    volatile boolean passesOn;

    Hold(Set<String> statements, Side side, @Nullable Runnable atFirst) {
      this.statements = statements;
      this.side = side;
      this.atFirst = atFirst;
    }

    boolean takes(String statement) {
      return statements.contains(statement)
          && (atFirst == null || isUsed.compareAndSet(false, true));
    }

    /** Whether what was held is to go on. */
    boolean await(String statement) throws InterruptedException {
      reached.add(statement);
      if (atFirst != null) {
        atFirst.run();
      }
      over.await();
      return passesOn;
    }
  }

  /** One connection; {@code held} is the statement whose answer is held. */
  private static final class Wire {

    final Socket client;
    final Socket server;
    final Map<String, String> prepared = new HashMap<>();
    String last = "";
    volatile String held = "";
    volatile Hold holdOfAnswer = Hold.NONE;

    Wire(Socket client, Socket server) {
      this.client = client;
      this.server = server;
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
    hold = new Hold(Set.copyOf(statements), Side.BEFORE_STATEMENT, null);
  }

  /**
   * The next connection on which this statement is sent stands still on one side of it, and then
   * {@code reached} is run; the statement passes on all others.
   */
  public void stopAt(String statement, Side side, Runnable reached) {
    hold = new Hold(Set.of(statement), side, reached);
  }

  /** The statements at which a connection stands still. */
  public Set<String> reached() {
    return Set.copyOf(hold.reached);
  }

  /** Cuts the connections that stand still; from now on all statements pass. */
  public void cut() {
    end(false);
  }

  /** What stands still goes on, and all statements pass. */
  public void passOn() {
    end(true);
  }

  private void end(boolean passesOn) {
    Hold last = hold;
    hold = Hold.NONE;
    last.passesOn = passesOn;
    last.over.countDown();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    cut();
    open.forEach(StatementRelay::closeQuietly);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), targetPort);
        open.add(client);
        open.add(server);
        Wire wire = new Wire(client, server);
        Thread.ofVirtual().start(() -> carry(wire));
        Thread.ofVirtual().start(() -> carryAnswers(wire));
      } catch (IOException e) {
        return;
      }
    }
  }

  private static void carryAnswers(Wire wire) {
    try (Socket client = wire.client;
        Socket server = wire.server) {
      InputStream in = server.getInputStream();
      OutputStream out = client.getOutputStream();
      byte[] buffer = new byte[16 * 1024];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        if (!wire.held.isEmpty()) {
          String statement = wire.held;
          wire.held = "";
          if (!wire.holdOfAnswer.await(statement)) {
            return;
          }
        }
        out.write(buffer, 0, n);
      }
    } catch (IOException e) {
      // one side is gone, and with it the other
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void carry(Wire wire) {
    try (Socket client = wire.client;
        Socket server = wire.server) {
      var in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
      var out = new DataOutputStream(new BufferedOutputStream(server.getOutputStream()));
      carryBeginning(in, out);
      for (int type = in.read(); type >= 0; type = in.read()) {
        byte[] body = body(in, in.readInt());
        String statement = statement((char) type, body, wire);
        if (!statement.isEmpty() && !passes(statement, wire)) {
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

  /**
   * The statement that is about to be run, or "" for a message that runs none; a COMMIT is told by
   * the statement before it, and a BEGIN goes with the statement after it.
   */
  private static String statement(char type, byte[] body, Wire wire) {
    String[] texts = new String(body, StandardCharsets.UTF_8).split("\0", 3);
    if (type == 'P') {
      wire.prepared.put(texts[0], texts[1]);
      return "";
    }
    String sent =
        switch (type) {
          case 'Q' -> texts[0];
          case 'B' -> wire.prepared.getOrDefault(texts[1], "");
          default -> "";
        };
    if (sent.isEmpty() || sent.equals("BEGIN")) {
      return "";
    }
    String statement = sent.equals("COMMIT") ? "COMMIT after " + wire.last : sent;
    wire.last = sent;
    return statement;
  }

  /** Waits where it has to; whether the message is to go on. */
  private boolean passes(String statement, Wire wire) throws InterruptedException {
    sent.add(statement);
    Hold now = hold;
    if (!now.takes(statement)) {
      return true;
    }
    if (now.side == Side.BEFORE_STATEMENT) {
      return now.await(statement);
    }
    wire.holdOfAnswer = now;
    wire.held = statement;
    return true;
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is gone either way
    }
  }
}

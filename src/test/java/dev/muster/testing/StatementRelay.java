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
 * A proxy before PostgreSQL that reads the statements (frontend messages of protocol 3.0). A test
 * learns which statements a request sends, and stops a connection before one of them reaches the
 * database, or before its response comes back.
 */
public final class StatementRelay implements AutoCloseable {

  private static final int PROTOCOL_3 = 3 << 16;

  /** The settings of {@code StablePlans}, which are part of the statement between them. */
  private static final String SETTINGS = "SELECT set_config('plan_cache_mode'";

  private final ServerSocket listener;
  private final int targetPort;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Set<String> sent = ConcurrentHashMap.newKeySet();
  private volatile Hold hold = Hold.NONE;

  /** The side of a statement on which a connection stops. */
  public enum Side {
    BEFORE_STATEMENT,
    BEFORE_ANSWER
  }

  /** Statements at which connections stop, at each occurrence or at the first alone. */
  private static final class Hold {

    static final Hold NONE = new Hold(Set.of(), Side.BEFORE_STATEMENT, null);

    final Set<String> statements;
    final Side side;
    final @Nullable Runnable atFirst;
    final Set<String> reached = ConcurrentHashMap.newKeySet();
    final AtomicBoolean isUsed = new AtomicBoolean();
    final CountDownLatch over = new CountDownLatch(1);
    volatile boolean forwards;

    Hold(Set<String> statements, Side side, @Nullable Runnable atFirst) {
      this.statements = statements;
      this.side = side;
      this.atFirst = atFirst;
    }

    boolean takes(String statement) {
      return statements.contains(statement)
          && (atFirst == null || isUsed.compareAndSet(false, true));
    }

    /** Waits, and returns whether the held message is to be forwarded. */
    boolean await(String statement) throws InterruptedException {
      reached.add(statement);
      if (atFirst != null) {
        atFirst.run();
      }
      over.await();
      return forwards;
    }
  }

  /** One connection; {@code held} is the statement whose response is held. */
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
   * Returns the distinct statements since the last call, with placeholders for their parameters.
   */
  public Set<String> takeSent() {
    Set<String> taken = new LinkedHashSet<>(sent);
    sent.removeAll(taken);
    return taken;
  }

  /**
   * From now on a connection that sends one of these statements stops before it: the database gets
   * neither the statement nor anything after it.
   */
  public void stall(Collection<String> statements) {
    hold = new Hold(Set.copyOf(statements), Side.BEFORE_STATEMENT, null);
  }

  /**
   * The next connection that sends this statement stops on one side of it, and then {@code reached}
   * runs; on other connections the statement is forwarded.
   */
  public void stopAt(String statement, Side side, Runnable reached) {
    hold = new Hold(Set.of(statement), side, reached);
  }

  /** The statements at which a connection is stopped. */
  public Set<String> reached() {
    return Set.copyOf(hold.reached);
  }

  /** Closes the stopped connections; from now on all statements are forwarded. */
  public void cut() {
    end(false);
  }

  /** Continues the stopped connections; from now on all statements are forwarded. */
  public void forwardAll() {
    end(true);
  }

  private void end(boolean forwards) {
    Hold last = hold;
    hold = Hold.NONE;
    last.forwards = forwards;
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
        Thread.ofVirtual().start(() -> forward(wire));
        Thread.ofVirtual().start(() -> forwardResponses(wire));
      } catch (IOException e) {
        return;
      }
    }
  }

  private static void forwardResponses(Wire wire) {
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
      // the other side closed the connection
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void forward(Wire wire) {
    try (Socket client = wire.client;
        Socket server = wire.server) {
      var in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
      var out = new DataOutputStream(new BufferedOutputStream(server.getOutputStream()));
      forwardStartup(in, out);
      for (int type = in.read(); type >= 0; type = in.read()) {
        byte[] body = body(in, in.readInt());
        String statement = statement((char) type, body, wire);
        if (!statement.isEmpty() && !mayForward(statement, wire)) {
          return;
        }
        out.writeByte(type);
        write(out, body, in);
      }
    } catch (IOException e) {
      // the other side closed the connection
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Forwards the messages without a type: encryption, cancel and startup requests. */
  private static void forwardStartup(DataInputStream in, DataOutputStream out) throws IOException {
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
   * The statement that this message executes, or "" if none. A COMMIT is identified by the
   * statement before it, a BEGIN belongs to the statement after it.
   */
  private static String statement(char type, byte[] body, Wire wire) {
    String[] texts = new String(body, StandardCharsets.UTF_8).split("\0", 3);
    if (type == 'P') {
      wire.prepared.put(texts[0], texts[1].strip());
      return "";
    }
    String sent =
        switch (type) {
          case 'Q' -> texts[0];
          case 'B' -> wire.prepared.getOrDefault(texts[1], "");
          default -> "";
        };
    if (sent.isEmpty() || sent.equals("BEGIN") || sent.startsWith(SETTINGS)) {
      return "";
    }
    String statement = sent.equals("COMMIT") ? "COMMIT after " + wire.last : sent;
    wire.last = sent;
    return statement;
  }

  /** Waits if the statement is held; returns whether to forward the message. */
  private boolean mayForward(String statement, Wire wire) throws InterruptedException {
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
      // closed either way
    }
  }
}

package dev.muster.bench;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Thousands of connections on one thread, with one request at a time on each: a client that costs
 * less than the server it measures.
 */
final class ManySockets implements AutoCloseable {

  /**
   * Called on the one thread, with {@code System.nanoTime()} of the answer, which is {@code ""}
   * when the server closed the connection instead. The next request opens a new one.
   */
  @FunctionalInterface
  interface Answers {
    void take(ManySockets sockets, int connection, String answer, long at);
  }

  private record Sending(int connection, String request) {}

  private static final class Connection {
    final int number;
    final ByteArrayOutputStream received = new ByteArrayOutputStream(512);
    @Nullable SocketChannel channel;
    boolean isAsked;

    Connection(int number) {
      this.number = number;
    }
  }

  private static final Pattern LENGTH = Pattern.compile("(?i)\r\nContent-Length: (\\d+)");

  private final Selector selector = Selector.open();
  private final List<Connection> connections = new ArrayList<>();
  private final Queue<Sending> toSend = new ConcurrentLinkedQueue<>();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
  private final InetSocketAddress server;
  private final Answers answers;
  private final Thread thread;
  private volatile boolean closed;

  ManySockets(int port, int size, Answers answers) throws IOException {
    this.answers = answers;
    this.server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    for (int i = 0; i < size; i++) {
      connections.add(new Connection(i));
    }
    this.thread = Thread.ofPlatform().daemon().name("many-sockets").start(this::serve);
  }

  /** The connection's last request must be answered; callable from any thread. */
  void send(int connection, String request) {
    toSend.add(new Sending(connection, request));
    if (!Thread.currentThread().equals(thread)) {
      selector.wakeup();
    }
  }

  private void serve() {
    try {
      while (!closed) {
        selector.select(key -> read(key), 100);
        for (@Nullable Sending one = toSend.poll(); one != null; one = toSend.poll()) {
          write(one);
        }
      }
    } catch (IOException | RuntimeException e) {
      if (!closed) {
        e.printStackTrace();
        System.exit(1);
      }
    }
  }

  private void write(Sending one) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(one.request().getBytes(StandardCharsets.UTF_8));
    Connection connection = connections.get(one.connection());
    SocketChannel channel = open(connection);
    connection.isAsked = true;
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /** Opens with the first request, since a server closes connections without one. */
  private SocketChannel open(Connection connection) throws IOException {
    if (connection.channel != null) {
      return connection.channel;
    }
    SocketChannel channel = SocketChannel.open(server);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ, connection);
    connection.channel = channel;
    return channel;
  }

  private void read(SelectionKey key) {
    Connection connection = (Connection) key.attachment();
    long at = System.nanoTime();
    try {
      buffer.clear();
      if (((SocketChannel) key.channel()).read(buffer) < 0) {
        hungUp(connection, at);
        return;
      }
      byte[] bytes = new byte[buffer.flip().remaining()];
      buffer.get(bytes);
      connection.received.writeBytes(bytes);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    String text = connection.received.toString(StandardCharsets.UTF_8);
    if (isWhole(text, connection.received.size())) {
      connection.received.reset();
      connection.isAsked = false;
      answers.take(this, connection.number, text, at);
    }
  }

  private void hungUp(Connection connection, long at) throws IOException {
    if (connection.channel != null) {
      connection.channel.close();
    }
    connection.channel = null;
    connection.received.reset();
    if (connection.isAsked) {
      connection.isAsked = false;
      answers.take(this, connection.number, "", at);
    }
  }

  private static boolean isWhole(String text, int size) {
    int head = text.indexOf("\r\n\r\n");
    if (head < 0) {
      return false;
    }
    Matcher length = LENGTH.matcher(text.substring(0, head));
    return length.find()
        ? size >= head + 4 + Integer.parseInt(length.group(1))
        : text.endsWith("\r\n0\r\n\r\n");
  }

  @Override
  public void close() throws IOException {
    closed = true;
    selector.wakeup();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Connection connection : connections) {
      if (connection.channel != null) {
        connection.channel.close();
      }
    }
    selector.close();
  }
}

package dev.muster.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An agent that answers each request with the request, over kept connections: at once, below {@link
 * #SLOW} after the timeout of {@link ManyCallers}, and below {@link #HELD} on {@link #RELEASE}.
 * Prints its port, and ends when its input ends.
 */
public final class EchoingAgent {

  static final String AT_ONCE = "/echo";
  static final String SLOW = "/slow";
  static final String HELD = "/held";

  /** Returns the number of held requests. */
  static final String WAITING = "/waiting";

  /** Returns the number of messages that were answered. */
  static final String ANSWERED = "/answered";

  /** Answers all held requests. */
  static final String RELEASE = "/release";

  private static final int BACKLOG = 4096;
  private static final int MAX_WAIT_S = 240;
  private static final String LENGTH = "content-length:";

  private final ServerSocket listener =
      new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicReference<CountDownLatch> released =
      new AtomicReference<>(new CountDownLatch(1));

  private EchoingAgent() throws IOException {}

  public static void main(String[] args) throws IOException {
    EchoingAgent agent = new EchoingAgent();
    Thread.ofPlatform().daemon().name("echoing-agent").start(agent::accept);
    System.out.println(agent.listener.getLocalPort());
    while (System.in.read() >= 0) {
      // input is ignored: the process lives as long as its parent
    }
  }

  private void accept() {
    while (true) {
      try {
        Socket socket = listener.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException e) {
        // a client that left before it was accepted
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      for (@Nullable String first = line(in); first != null; first = line(in)) {
        String body = new String(in.readNBytes(length(in)), StandardCharsets.UTF_8);
        String answer = answer(first.split(" ", 3)[1], body);
        socket
            .getOutputStream()
            .write(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                    .formatted(answer.getBytes(StandardCharsets.UTF_8).length, answer)
                    .getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      // the client closed the connection
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String answer(String path, String body) throws InterruptedException {
    if (path.equals(WAITING)) {
      return waiting.toString();
    }
    if (path.equals(ANSWERED)) {
      return answered.toString();
    }
    if (path.equals(RELEASE)) {
      released.getAndSet(new CountDownLatch(1)).countDown();
      return waiting.toString();
    }
    if (path.startsWith(SLOW)) {
      Thread.sleep(ManyCallers.TIMEOUT);
    }
    if (path.startsWith(HELD)) {
      CountDownLatch release = released.get();
      waiting.incrementAndGet();
      var _ = release.await(MAX_WAIT_S, TimeUnit.SECONDS);
      waiting.decrementAndGet();
    }
    answered.incrementAndGet();
    return "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + body + "}";
  }

  /** Reads the rest of the head; returns the length of the body. */
  private static int length(InputStream in) throws IOException {
    int length = 0;
    for (@Nullable String line = line(in); ; line = line(in)) {
      if (line == null) {
        throw new EOFException();
      }
      if (line.isEmpty()) {
        return length;
      }
      if (line.regionMatches(true, 0, LENGTH, 0, LENGTH.length())) {
        length = Integer.parseInt(line.substring(LENGTH.length()).strip());
      }
    }
  }

  /** Reads a line without its end; null at the end of the stream. */
  private static @Nullable String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next >= 0; next = in.read()) {
      if (next == '\n') {
        return line.toString();
      }
      if (next != '\r') {
        line.append((char) next);
      }
    }
    return null;
  }
}

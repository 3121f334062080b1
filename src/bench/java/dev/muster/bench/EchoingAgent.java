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
 * An agent that answers each request with the request, over connections that it keeps: at once,
 * below {@link #SLOW} after as long as {@link ManyCallers} wait for one that cannot be reached, and
 * below {@link #PATIENT} when it is told to. Prints its port, and ends with its input.
 */
public final class EchoingAgent {

  static final String AT_ONCE = "/echo";
  static final String SLOW = "/slow";
  static final String PATIENT = "/patient";

  /** How many requests wait to be told. */
  static final String WAITING = "/waiting";

  /** Answers all that wait. */
  static final String TELL = "/tell";

  private static final int BACKLOG = 4096;
  private static final int MAX_WAIT_S = 240;
  private static final String LENGTH = "content-length:";

  private final ServerSocket listener =
      new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicReference<CountDownLatch> told = new AtomicReference<>(new CountDownLatch(1));

  private EchoingAgent() throws IOException {}

  public static void main(String[] args) throws IOException {
    EchoingAgent agent = new EchoingAgent();
    Thread.ofPlatform().daemon().name("echoing-agent").start(agent::accept);
    System.out.println(agent.listener.getLocalPort());
    while (System.in.read() >= 0) {
      // nothing is said to it: it lives as long as who started it
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
      // the client is gone
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String answer(String path, String body) throws InterruptedException {
    if (path.equals(WAITING)) {
      return waiting.toString();
    }
    if (path.equals(TELL)) {
      told.getAndSet(new CountDownLatch(1)).countDown();
      return waiting.toString();
    }
    if (path.startsWith(SLOW)) {
      Thread.sleep(ManyCallers.TIMEOUT);
    }
    if (path.startsWith(PATIENT)) {
      CountDownLatch word = told.get();
      waiting.incrementAndGet();
      var _ = word.await(MAX_WAIT_S, TimeUnit.SECONDS);
      waiting.decrementAndGet();
    }
    return "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + body + "}";
  }

  /** Reads the rest of the head; what it says of the body. */
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

  /** Without its end; null where the stream ends. */
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

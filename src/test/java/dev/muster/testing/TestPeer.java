package dev.muster.testing;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * An agent on a real socket of loopback that applies scripted behaviours to requests, and keeps
 * every complete request.
 *
 * <p>Each request, or each connection for a behaviour that needs no request, takes the next
 * behaviour of the script; then the default one, which answers with the received message.
 */
public final class TestPeer implements AutoCloseable {

  private static final int BACKLOG = 1024;

  /** A complete request; header names are in lower case. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Delivery(String requestLine, Map<String, List<String>> headers, byte[] body) {

    public String text() {
      return new String(body, StandardCharsets.UTF_8);
    }

    /** The first value of this header, or {@code ""}. */
    public String header(String name) {
      return headers.getOrDefault(name, List.of("")).getFirst();
    }
  }

  private final ServerSocket listener;
  private final Deque<PeerBehavior> script = new ConcurrentLinkedDeque<>();
  private final List<Delivery> deliveries = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final CountDownLatch released = new CountDownLatch(1);
  private final Thread acceptor;
  private volatile PeerBehavior usual = PeerBehavior.echo();

  private TestPeer(int port) throws IOException {
    listener = new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
    acceptor = Thread.ofPlatform().daemon().name("test-peer").start(this::accept);
  }

  public static TestPeer start() throws IOException {
    return new TestPeer(0);
  }

  /** Starts on a port that had no listener. */
  public static TestPeer startOn(int port) throws IOException {
    return new TestPeer(port);
  }

  /** Adds to the script. */
  public TestPeer then(PeerBehavior... behaviors) {
    script.addAll(List.of(behaviors));
    return this;
  }

  /** Sets the behaviour for requests after the script. */
  public TestPeer usually(PeerBehavior behavior) {
    usual = behavior;
    return this;
  }

  public String url() {
    return "http://127.0.0.1:" + port() + "/a2a";
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** The complete requests, in order. */
  public List<Delivery> deliveries() {
    return List.copyOf(deliveries);
  }

  public List<Delivery> awaitDeliveries(int count) {
    Awaitility.await().until(() -> deliveries.size() >= count);
    return deliveries();
  }

  /** How many connections were ever accepted. */
  public int connections() {
    return connections.get();
  }

  public int openConnections() {
    return open.size();
  }

  /** Ends all waits for a release, now and later. */
  public void release() {
    released.countDown();
  }

  /** When it returns, the port is free: it is not while a thread still accepts. */
  @Override
  public void close() throws IOException {
    release();
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
    try {
      acceptor.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        connections.incrementAndGet();
        open.add(socket);
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException e) {
        // closed, or a client that left before it was accepted
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      do {
        if (!awaitsRequest(script.peek())) {
          next().act(new PeerExchange(socket, in, released, deliveries::add));
          return;
        }
        in.mark(1);
        if (in.read() < 0) {
          return;
        }
        in.reset();
      } while (next().act(new PeerExchange(socket, in, released, deliveries::add)));
    } catch (IOException e) {
      // the client or this peer has closed the connection
    } finally {
      open.remove(socket);
    }
  }

  private PeerBehavior next() {
    PeerBehavior behavior = script.poll();
    return behavior == null ? usual : behavior;
  }

  private boolean awaitsRequest(@Nullable PeerBehavior scripted) {
    return (scripted == null ? usual : scripted).awaitsRequest();
  }
}

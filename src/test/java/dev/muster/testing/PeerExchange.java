package dev.muster.testing;

import dev.muster.testing.TestPeer.Delivery;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One incoming request and its socket, as a {@link PeerBehavior} sees them. */
public final class PeerExchange {

  private final Socket socket;
  private final InputStream in;
  private final CountDownLatch released;
  private final Consumer<Delivery> record;

  PeerExchange(Socket socket, InputStream in, CountDownLatch released, Consumer<Delivery> record) {
    this.socket = socket;
    this.in = in;
    this.released = released;
    this.record = record;
  }

  /** Reads the whole request, and records it. */
  public Delivery receive() throws IOException {
    String requestLine = line();
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      headers
          .computeIfAbsent(
              line.substring(0, colon).toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
          .add(line.substring(colon + 1).strip());
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", List.of("0")).getFirst());
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException();
    }
    Delivery delivery = new Delivery(requestLine, headers, body);
    record.accept(delivery);
    return delivery;
  }

  /** Reads this many bytes of the request and leaves the rest. */
  public void receiveOnly(int bytes) throws IOException {
    in.readNBytes(bytes);
  }

  public void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.UTF_8));
  }

  public void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
  }

  /** Sends a complete answer; the connection stays open. */
  public void answer(int status, Map<String, String> headers, byte[] body) throws IOException {
    StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Said So\r\n");
    headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    head.append("Content-Length: ").append(body.length).append("\r\n\r\n");
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    whole.writeBytes(head.toString().getBytes(StandardCharsets.ISO_8859_1));
    whole.writeBytes(body);
    send(whole.toByteArray());
  }

  /** Closes with a RST in place of a FIN. */
  public void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  public void awaitRelease() throws IOException {
    awaitRelease(Duration.ofDays(1));
  }

  /** Returns whether the release came within this time. */
  public boolean awaitRelease(Duration limit) throws IOException {
    try {
      return released.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException();
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }
}

package dev.muster.attack;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** One connection to the server, from a given source address; sends bytes unchanged. */
final class Connection implements AutoCloseable {

  /** The head of an answer and its body; header names are in lower case. */
  record Answer(int status, Map<String, String> headers, String body) {

    String header(String name) {
      return headers.getOrDefault(name, "");
    }
  }

  private static final int CONNECT_TIMEOUT_MS = 10_000;
  private static final int BUFFER_BYTES = 64 << 10;
  private static final String STATUS_LINE = "HTTP/1.1 ";

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  private Connection(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
  }

  /** {@code from} is an address of loopback; {@code timeoutMs} is for each read. */
  static Connection open(int port, String from, int timeoutMs) throws IOException {
    Socket socket = new Socket();
    try {
      socket.bind(new InetSocketAddress(InetAddress.ofLiteral(from), 0));
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_TIMEOUT_MS);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(timeoutMs);
      return new Connection(socket);
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** The bytes of a request; {@code headers} are complete lines. */
  static byte[] request(
      String method,
      String path,
      @Nullable String token,
      @Nullable String body,
      String... headers) {
    byte[] bytes = body == null ? new byte[0] : body.getBytes(StandardCharsets.UTF_8);
    StringBuilder head = new StringBuilder(head(method, path, token, headers));
    if (body != null) {
      head.append("Content-Length: ").append(bytes.length).append("\r\n");
    }
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    whole.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8));
    whole.writeBytes(bytes);
    return whole.toByteArray();
  }

  /** The head of a request without the empty line at its end. */
  static String head(String method, String path, @Nullable String token, String... headers) {
    StringBuilder head =
        new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n");
    if (token != null) {
      head.append("Authorization: Bearer ").append(token).append("\r\n");
    }
    for (String header : headers) {
      head.append(header).append("\r\n");
    }
    return head.toString();
  }

  void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  void send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  Answer exchange(byte[] request) throws IOException {
    send(request);
    return read();
  }

  /** Whether bytes have arrived that were not read. */
  boolean hasAnswer() throws IOException {
    return in.available() > 0;
  }

  /** Reads a complete answer; of an event stream or another protocol only the head. */
  Answer read() throws IOException {
    Answer head = readHead();
    String body = new String(body(head.status(), head.headers()), StandardCharsets.UTF_8);
    return new Answer(head.status(), head.headers(), body);
  }

  /** Reads an answer without a body, whatever its head says. */
  Answer readHead() throws IOException {
    String statusLine = line();
    Map<String, String> headers = new LinkedHashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      headers.putIfAbsent(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    String[] words = statusLine.split(" ", 3);
    if (words.length < 2 || !words[1].matches("\\d{3}")) {
      throw new IOException("no status line: " + statusLine);
    }
    int status = Integer.parseInt(words[1]);
    return status == 100 ? readHead() : new Answer(status, headers, "");
  }

  private byte[] body(int status, Map<String, String> headers) throws IOException {
    String type = headers.getOrDefault("content-type", "");
    if (status < 200 || status == 204 || status == 304 || type.startsWith("text/event-stream")) {
      return new byte[0];
    }
    if (headers.getOrDefault("transfer-encoding", "").equalsIgnoreCase("chunked")) {
      return chunks();
    }
    if (headers.containsKey("content-length")) {
      int length = Integer.parseInt(headers.getOrDefault("content-length", ""));
      byte[] body = in.readNBytes(length);
      if (body.length < length) {
        throw new EOFException("the answer's body ends early");
      }
      return body;
    }
    return in.readAllBytes();
  }

  private byte[] chunks() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      int length = Integer.parseInt(line(), 16);
      body.writeBytes(in.readNBytes(length));
      String end = line();
      if (length == 0 || !end.isEmpty()) {
        return body.toByteArray();
      }
    }
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  /** Reads answers until there are no more, and reports the status of each. */
  void drain(IntConsumer statuses) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    String before = "";
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      String text = before + new String(buffer, 0, read, StandardCharsets.ISO_8859_1);
      int at = text.indexOf(STATUS_LINE);
      int end = 0;
      while (at >= 0 && at + STATUS_LINE.length() + 3 <= text.length()) {
        end = at + STATUS_LINE.length() + 3;
        statuses.accept(Integer.parseInt(text, end - 3, end, 10));
        at = text.indexOf(STATUS_LINE, end);
      }
      before = text.substring(Math.max(end, text.length() - STATUS_LINE.length() - 2));
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException alreadyBroken) {
      // ignored: nothing is left to close
    }
  }
}

package dev.muster.testing;

import dev.muster.testing.TestClient.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Sends bytes unchanged, for requests that no HTTP client would send. A header line {@code Host: …}
 * replaces the default, and a request line that ends in {@code HTTP/1.0} has none.
 */
public final class RawHttp {

  private static final byte[] NO_BODY = {};
  private static final int CHUNK = 16_384;
  private static final int TIMEOUT_MS = 30_000;

  private RawHttp() {}

  /** Sends a body of known length. */
  public static Answer send(int port, String requestLine, List<String> headerLines, byte[] body) {
    return exchange(port, requestLine, headerLines, "Content-Length: " + body.length, body);
  }

  public static Answer send(int port, String requestLine, List<String> headerLines) {
    return exchange(port, requestLine, headerLines, "X-No-Body: true", NO_BODY);
  }

  /** Sends a chunked body. */
  public static Answer sendChunked(
      int port, String requestLine, List<String> headerLines, byte[] body) {
    ByteArrayOutputStream chunks = new ByteArrayOutputStream();
    for (int from = 0; from < body.length; from += CHUNK) {
      int length = Math.min(CHUNK, body.length - from);
      chunks.writeBytes((Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
      chunks.write(body, from, length);
      chunks.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
    }
    chunks.writeBytes("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    return exchange(
        port, requestLine, headerLines, "Transfer-Encoding: chunked", chunks.toByteArray());
  }

  /** The statuses of requests without a body on one connection, each with one header line. */
  public static List<Integer> statusesOnOneConnection(
      int port, String requestLine, List<String> headerLines) {
    StringBuilder requests = new StringBuilder();
    for (int i = 0; i < headerLines.size(); i++) {
      boolean last = i == headerLines.size() - 1;
      requests.append(requestLine).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\n");
      requests.append(headerLines.get(i)).append(last ? "\r\nConnection: close" : "");
      requests.append("\r\n\r\n");
    }
    byte[] answers =
        exchange(port, requestLine, requests.toString().getBytes(StandardCharsets.UTF_8));
    return Pattern.compile("HTTP/1\\.1 (\\d{3}) ")
        .matcher(new String(answers, StandardCharsets.ISO_8859_1))
        .results()
        .map(status -> Integer.valueOf(status.group(1)))
        .toList();
  }

  /** Sends a body of known length; returns all bytes of the answer, until its connection ends. */
  public static String received(
      int port, String requestLine, List<String> headerLines, String body) {
    byte[] sent = body.getBytes(StandardCharsets.UTF_8);
    byte[] head = head(port, requestLine, headerLines, "Content-Length: " + sent.length);
    return new String(exchange(port, requestLine, head, sent), StandardCharsets.UTF_8);
  }

  private static Answer exchange(
      int port, String requestLine, List<String> headerLines, String framing, byte[] body) {
    return answer(exchange(port, requestLine, head(port, requestLine, headerLines, framing), body));
  }

  private static byte[] head(
      int port, String requestLine, List<String> headerLines, String framing) {
    List<String> lines = new ArrayList<>();
    boolean old = requestLine.endsWith(" HTTP/1.0");
    lines.add(old ? requestLine : requestLine + " HTTP/1.1");
    if (!old && headerLines.stream().noneMatch(line -> line.startsWith("Host:"))) {
      lines.add("Host: 127.0.0.1:" + port);
    }
    lines.add("Connection: close");
    lines.add(framing);
    lines.addAll(headerLines);
    return (String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] exchange(int port, String what, byte[]... parts) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(TIMEOUT_MS);
      write(parts, socket.getOutputStream());
      return socket.getInputStream().readAllBytes();
    } catch (IOException e) {
      throw new IllegalStateException(what, e);
    }
  }

  /** The server may answer and close before it has read everything. */
  private static void write(byte[][] parts, OutputStream out) {
    try {
      for (byte[] part : parts) {
        out.write(part);
      }
      out.flush();
    } catch (IOException answeredAlready) {
      // the answer shows the reason
    }
  }

  private static Answer answer(byte[] bytes) {
    String all = new String(bytes, StandardCharsets.ISO_8859_1);
    int end = all.indexOf("\r\n\r\n");
    if (end < 0) {
      throw new AssertionError("no whole answer: \"" + all + "\"");
    }
    String[] lines = all.substring(0, end).split("\r\n", -1);
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      headers
          .computeIfAbsent(lines[i].substring(0, colon), name -> new ArrayList<>())
          .add(lines[i].substring(colon + 1).strip());
    }
    HttpHeaders parsed = HttpHeaders.of(headers, (name, value) -> true);
    String body = all.substring(end + 4);
    if (parsed.firstValue("Transfer-Encoding").orElse("").equals("chunked")) {
      body = joined(body);
    }
    int status = Integer.parseInt(lines[0].split(" ", 3)[1]);
    return new Answer(status, parsed, inUtf8(body));
  }

  private static String joined(String chunks) {
    StringBuilder body = new StringBuilder();
    int at = 0;
    while (true) {
      int lineEnd = chunks.indexOf("\r\n", at);
      int length = Integer.parseInt(chunks, at, lineEnd, 16);
      if (length == 0) {
        return body.toString();
      }
      body.append(chunks, lineEnd + 2, lineEnd + 2 + length);
      at = lineEnd + 2 + length + 2;
    }
  }

  private static String inUtf8(String latin1) {
    return new String(latin1.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }
}

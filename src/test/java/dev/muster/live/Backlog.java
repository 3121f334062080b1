package dev.muster.live;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The frames that a WebSocket client has not read, up to the close frame. */
record Backlog(List<JsonNode> frames, int closeCode) {

  private static final int CLOSE = 8;
  private static final int PING = 9;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** Connects {@code socket} with a small receive buffer, and opens a stream. */
  static void open(Socket socket, int port, String path, String token) throws IOException {
    socket.setReceiveBufferSize(4096);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    String request =
        """
        GET %s HTTP/1.1
        Host: localhost
        Upgrade: websocket
        Connection: Upgrade
        Sec-WebSocket-Version: 13
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
        Authorization: Bearer %s

        """
            .formatted(path, token)
            .replace("\n", "\r\n");
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
  }

  /** Reads everything; a connection that breaks has the code 1006. */
  static Backlog read(Socket socket) throws IOException {
    socket.setSoTimeout(15_000);
    DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    skipHead(in);
    List<JsonNode> frames = new ArrayList<>();
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    try {
      while (true) {
        int head = in.readUnsignedByte();
        byte[] payload = in.readNBytes(length(in));
        boolean last = (head & 0x80) != 0;
        switch (head & 0x0f) {
          case CLOSE -> {
            return new Backlog(frames, ((payload[0] & 0xff) << 8) | (payload[1] & 0xff));
          }
          case PING -> {}
          default -> message.writeBytes(payload);
        }
        if (last && message.size() > 0) {
          frames.add(JSON.readTree(message.toByteArray()));
          message.reset();
        }
      }
    } catch (EOFException | SocketException cut) {
      return new Backlog(frames, 1006);
    }
  }

  /** The numbers of the recorded events; live events have none. */
  List<Long> seqs() {
    return frames.stream()
        .filter(frame -> frame.has("seq"))
        .map(frame -> frame.path("seq").asLong())
        .toList();
  }

  private static void skipHead(DataInputStream in) throws IOException {
    int newlines = 0;
    while (newlines < 2) {
      int next = in.read();
      newlines = next == '\n' ? newlines + 1 : next == '\r' ? newlines : 0;
    }
  }

  private static int length(DataInputStream in) throws IOException {
    int length = in.readUnsignedByte();
    return switch (length) {
      case 126 -> in.readUnsignedShort();
      case 127 -> (int) in.readLong();
      default -> length;
    };
  }
}

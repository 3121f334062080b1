package dev.muster.platform.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Connections that send the same bytes again and again, and read all answers. */
final class Flood implements AutoCloseable {

  private static final int BLOCK = 32 * 1024;

  private final List<Socket> sockets = new ArrayList<>();
  private final AtomicLong bytesRead = new AtomicLong();

  private Flood() {}

  /** Each connection begins with {@code beginning}. */
  static Flood start(int port, int connections, String beginning, byte[] repeated)
      throws IOException {
    Flood flood = new Flood();
    byte[] block = new byte[Math.max(1, BLOCK / repeated.length) * repeated.length];
    for (int at = 0; at < block.length; at += repeated.length) {
      System.arraycopy(repeated, 0, block, at, repeated.length);
    }
    for (int i = 0; i < connections; i++) {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      flood.sockets.add(socket);
      socket.getOutputStream().write(beginning.getBytes(StandardCharsets.US_ASCII));
      Thread.ofPlatform().daemon().start(() -> send(socket, block));
      Thread.ofPlatform().daemon().start(() -> flood.read(socket));
    }
    return flood;
  }

  private static void send(Socket socket, byte[] block) {
    try (socket) {
      OutputStream out = socket.getOutputStream();
      while (!socket.isClosed()) {
        out.write(block);
      }
    } catch (IOException over) {
      // closed by the server, or at the end
    }
  }

  private void read(Socket socket) {
    byte[] answers = new byte[BLOCK];
    try {
      InputStream in = socket.getInputStream();
      for (int n = in.read(answers); n >= 0; n = in.read(answers)) {
        bytesRead.addAndGet(n);
      }
    } catch (IOException over) {
      // closed by the server, or at the end
    }
  }

  long bytesRead() {
    return bytesRead.get();
  }

  @Override
  public void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}

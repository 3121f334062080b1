package dev.muster.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** A port of loopback with a full accept queue: connections neither open nor are refused. */
public final class SaturatedListener implements AutoCloseable {

  private static final int MORE_THAN_FIT = 8;

  private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  private final List<SocketChannel> waiting = new ArrayList<>();

  public SaturatedListener() throws IOException {
    for (int i = 0; i < MORE_THAN_FIT; i++) {
      SocketChannel channel = SocketChannel.open();
      channel.configureBlocking(false);
      channel.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort()));
      waiting.add(channel);
    }
  }

  public String url() {
    return "http://127.0.0.1:" + listener.getLocalPort() + "/a2a";
  }

  @Override
  public void close() throws IOException {
    for (SocketChannel channel : waiting) {
      channel.close();
    }
    listener.close();
  }
}

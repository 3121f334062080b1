package dev.muster.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Free ports of loopback. They lie below the range from which Linux assigns ports, each JVM of a
 * run has a part of its own, and each is returned once, so they stay free.
 */
public final class FreePorts {

  private static final int COUNT = 3_000;

  /** JVMs above four, and one that an editor starts, share these parts with others. */
  private static final int FIRST = 20_000 + COUNT * ((Integer.getInteger("test.fork", 1) - 1) % 4);

  /** Other runs of the tests on this machine begin elsewhere. */
  private static final AtomicInteger NEXT =
      new AtomicInteger((int) (ProcessHandle.current().pid() * 97 % COUNT));

  private FreePorts() {}

  public static int next() {
    for (int i = 0; i < COUNT; i++) {
      int port = FIRST + NEXT.getAndIncrement() % COUNT;
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no port is free");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}

package dev.muster.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * Bodies of a million bytes, of which the first 64 KiB arrive at once, and then one byte a second.
 */
final class SlowBodies {

  private static final int BYTES = 1_000_000;
  private static final int AT_ONCE = 65_536;
  private static final int SECONDS = 8;

  private SlowBodies() {}

  /**
   * Sends so many at the same time, and disconnects after 8 s; returns how many were answered
   * before.
   *
   * @param path of a route that takes large bodies
   * @param headers of each, whole lines
   */
  static int send(int port, int bodies, String path, IntFunction<String> headers) {
    AtomicInteger answered = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < bodies; i++) {
        int number = i;
        threads.execute(() -> {
          if (isAnswered(port, path, headers.apply(number))) {
            answered.incrementAndGet();
          }
        });
      }
    }
    return answered.get();
  }

  private static boolean isAnswered(int port, String path, String headers) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      String head =
          "POST %s HTTP/1.1\r\nHost: localhost:%d\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
              .formatted(path, port, headers, BYTES);
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().write(" ".repeat(AT_ONCE).getBytes(StandardCharsets.US_ASCII));
      for (int second = 0; second < SECONDS && socket.getInputStream().available() == 0; second++) {
        LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
        socket.getOutputStream().write(' ');
      }
      return socket.getInputStream().available() > 0;
    } catch (IOException e) {
      return true; // refused, and closed
    }
  }
}

package dev.muster.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A TCP proxy that a test controls: it forwards bytes at once or late, drops them, or refuses
 * connections.
 */
public final class TcpRelay implements AutoCloseable {

  private final ServerSocket listener;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile int targetPort;
  private volatile boolean swallowing;
  private volatile Duration lateness = Duration.ZERO;

  public TcpRelay(int targetPort) throws IOException {
    this.targetPort = targetPort;
    this.listener = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** From now on connections open and nothing comes back, on existing ones as well. */
  public void swallow() {
    swallowing = true;
  }

  /** From now on every answer is delayed, on existing connections as well. */
  public void delayAnswers(Duration by) {
    lateness = by;
  }

  /** Forwards again, on new connections; those that dropped bytes are closed. */
  public void heal(int newTargetPort) {
    targetPort = newTargetPort;
    swallowing = false;
    lateness = Duration.ZERO;
    cut();
  }

  /** Connects new connections there; existing ones stay. */
  public void lead(int newTargetPort) {
    targetPort = newTargetPort;
  }

  /** Resets every connection. */
  public void cut() {
    open.forEach(TcpRelay::closeQuietly);
    open.clear();
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    listener.close();
    cut();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        open.add(client);
        Thread.ofVirtual().start(() -> forward(client));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void forward(Socket client) {
    if (swallowing) {
      return;
    }
    try {
      Socket server = new Socket(InetAddress.getLoopbackAddress(), targetPort);
      open.add(server);
      Thread.ofVirtual().start(() -> pump(server, client, true));
      pump(client, server, false);
    } catch (IOException e) {
      closeQuietly(client);
    }
  }

  private void pump(Socket from, Socket to, boolean answers) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[16 * 1024];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        if (answers && !lateness.isZero()) {
          boolean over = closed.await(lateness.toNanos(), TimeUnit.NANOSECONDS);
          if (over) {
            return;
          }
        }
        if (!swallowing) {
          out.write(buffer, 0, n);
        }
        // the rest of an answer is not delayed once more
        while (!swallowing && in.available() > 0) {
          out.write(buffer, 0, in.read(buffer));
        }
      }
      if (swallowing) {
        closed.await();
      }
    } catch (IOException e) {
      // the other side closed the connection
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // closed either way
    }
  }
}

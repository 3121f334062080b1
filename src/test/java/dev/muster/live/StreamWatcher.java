package dev.muster.live;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestEventStream;
import dev.muster.testing.TestSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** Follows the stream of all events; when it breaks, continues at another replica. */
final class StreamWatcher {

  private final IntFunction<TestClient> replicas;
  private final boolean byWebSocket;
  private final List<Long> seen = new ArrayList<>();
  private int next;
  private long lastSeen;
  private int connections;

  /** Every second one uses a WebSocket; all begin after the event {@code after}. */
  StreamWatcher(IntFunction<TestClient> replicas, int number, long after) {
    this.replicas = replicas;
    this.byWebSocket = number % 2 == 0;
    this.next = number / 2;
    this.lastSeen = after;
  }

  synchronized List<Long> seen() {
    return List.copyOf(seen);
  }

  synchronized long lastSeen() {
    return lastSeen;
  }

  synchronized int reconnections() {
    return connections - 1;
  }

  void follow(CompletableFuture<Boolean> over) {
    while (!over.isDone()) {
      try {
        if (byWebSocket) {
          followSocket(over);
        } else {
          followEventStream(over);
        }
      } catch (Exception broken) {
        // the stream ended: the next replica is tried
      }
      next++;
    }
  }

  private void followSocket(CompletableFuture<Boolean> over) throws Exception {
    try (TestSocket socket =
        TestSocket.open(replicas.apply(next), "/ws?after=" + lastSeen(), ADMIN_TOKEN)) {
      connected();
      int taken = 0;
      for (boolean open = true; open; ) {
        open = !over.isDone() && isOpen(() -> socket.awaitClose(Duration.ofMillis(50)));
        taken = take(socket.seqs(), taken);
      }
    }
  }

  private void followEventStream(CompletableFuture<Boolean> over) throws Exception {
    try (TestEventStream stream =
        TestEventStream.open(
            replicas.apply(next),
            "/events/stream",
            ADMIN_TOKEN,
            "Last-Event-ID",
            String.valueOf(lastSeen()))) {
      if (stream.status() != 200) {
        return;
      }
      connected();
      int taken = 0;
      for (boolean open = true; open; ) {
        open = !over.isDone() && isOpen(() -> stream.awaitEnd(Duration.ofMillis(50)));
        taken = take(stream.ids(), taken);
      }
    }
  }

  private interface End {
    Object await() throws Exception;
  }

  private static boolean isOpen(End end) throws Exception {
    try {
      end.await();
      return false;
    } catch (TimeoutException stillOpen) {
      return true;
    }
  }

  private synchronized void connected() {
    connections++;
  }

  private synchronized int take(List<Long> seqs, int taken) {
    List<Long> fresh = seqs.subList(taken, seqs.size());
    seen.addAll(fresh);
    lastSeen = fresh.isEmpty() ? lastSeen : fresh.getLast();
    return seqs.size();
  }
}

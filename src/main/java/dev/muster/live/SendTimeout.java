package dev.muster.live;

import java.io.IOException;
import java.time.Duration;

/** Measures how long a send to the client has been blocked. */
final class SendTimeout {

  /** A send that returns when the client's side has accepted the data. */
  interface Sending {
    void run() throws IOException;
  }

  private volatile boolean sending;
  private volatile long since;

  void watch(Sending work) throws IOException {
    since = System.nanoTime();
    sending = true;
    try {
      work.run();
    } catch (RuntimeException e) {
      // what the client received is unknown; it reports its position when it reconnects
      throw new IOException("a stream cannot be written to", e);
    } finally {
      sending = false;
    }
  }

  boolean isStuckFor(Duration timeout) {
    return sending && System.nanoTime() - since > timeout.toNanos();
  }
}
